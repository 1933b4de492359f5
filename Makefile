# tailor: APL to GPUs.
#
#   make demo      installs what is missing (Debian packages, where it may), builds, and runs an
#                  example on OpenCL
#   make check     the same, then every test; ends with "N passed, N failed"
#   make           builds build/bin/tailor and the runtime libraries
#
# Everything that is made lies in build/ (another folder with BUILD=...). SANITIZE=1 builds with
# AddressSanitizer and UndefinedBehaviorSanitizer.

BUILD ?= build
PREFIX ?= /usr/local
CFLAGS ?= -O2 -g
WARNINGS := -Wall -Wextra -Wpedantic -Werror -Wno-overlength-strings
STANDARD := -std=c11 -D_GNU_SOURCE
ifeq ($(SANITIZE),1)
SANITIZERS := -DSANITIZED -fsanitize=address,undefined -fno-omit-frame-pointer -fno-sanitize-recover=undefined
endif
# V=1 shows the commands.
ifeq ($(V),1)
say =
else
.SILENT:
say = @echo "  $(1)"
endif
INCLUDES := -I. -I$(BUILD)/generated
COMPILE = $(CC) $(STANDARD) $(WARNINGS) $(CFLAGS) $(IN_LIBRARY) $(SANITIZERS) $(INCLUDES) -MMD -MP

PACKAGES := gcc make pkg-config re2c bison libutf8proc-dev libcmocka-dev \
            ocl-icd-opencl-dev opencl-headers pocl-opencl-icd

# ---- sources -----------------------------------------------------------------------------------
# One archive a folder, in the order in which they know each other.

FOLDERS := apl tail backend core base
sources = $(wildcard $(1)/*.c $(1)/*/*.c)
objects = $(patsubst %.c,$(BUILD)/%.o,$(call sources,$(1))) \
          $(patsubst %.re,$(BUILD)/generated/%.o,$(wildcard $(1)/lexer.re $(1)/*/lexer.re)) \
          $(patsubst %.y,$(BUILD)/generated/%.o,$(wildcard $(1)/grammar.y $(1)/*/grammar.y))
ARCHIVES := $(patsubst %,$(BUILD)/lib%.a,$(FOLDERS))
RUNTIME_SOURCES := $(filter-out runtime/opencl%.c,$(wildcard runtime/*.c))
RUNTIME := $(BUILD)/lib/libtailor.a $(BUILD)/lib/libtailor_opencl.a
RUNTIME_PYTHON := $(BUILD)/lib/python.py
RUNTIME_HEADERS := $(patsubst runtime/%,$(BUILD)/include/%,$(wildcard runtime/*.h))
UNIT_TESTS := $(patsubst %.c,$(BUILD)/%,$(wildcard tests/unit/*.c))
TAILOR := $(BUILD)/bin/tailor

all: $(TAILOR) $(RUNTIME) $(RUNTIME_HEADERS) $(RUNTIME_PYTHON)

$(BUILD)/%.o: %.c
	$(call say,compile $<)
	@mkdir -p $(@D)
	$(COMPILE) -c -o $@ $<

# Generated lexers and parsers. Bison's and re2c's own output is not held to our warnings.
$(BUILD)/generated/%/lexer.c: %/lexer.re
	@mkdir -p $(@D)
	re2c -W -8 --no-generation-date --input-encoding utf8 -o $@ $<
$(BUILD)/generated/%/grammar.c $(BUILD)/generated/%/grammar.h: %/grammar.y
	@mkdir -p $(@D)
	bison -Wall -Werror --defines=$(BUILD)/generated/$*/grammar.h -o $(BUILD)/generated/$*/grammar.c $<
$(BUILD)/generated/%.o: $(BUILD)/generated/%.c
	$(call say,compile $<)
	$(COMPILE) -Wno-unused-but-set-variable -Wno-unused-function -c -o $@ $<

# Lexers and hand-written sources of a language include its grammar.h.
define grammar_rule
$(call objects,$(1)): | $(patsubst %.y,$(BUILD)/generated/%.h,$(wildcard $(1)/grammar.y $(1)/*/grammar.y))
$(BUILD)/lib$(1).a: $(call objects,$(1))
	@mkdir -p $$(@D)
	rm -f $$@ && ar rcs $$@ $$^
endef
$(foreach folder,$(FOLDERS),$(eval $(call grammar_rule,$(folder))))

# The prelude's definitions, sorted by name. Each begins with its name at the start of a line.
$(BUILD)/generated/prelude.inc: apl/prelude.apl
	@mkdir -p $(@D)
	(echo '/* Made from $<. */'; \
	 sed -e '/^⍝/d' -e '/^$$/d' -e 's/\\/\\\\/g' -e 's/"/\\"/g' $< | \
	 awk '$$2 == "←" && $$0 !~ /^ / { printf "%s{\"%s\", \"", end, $$1; end = "\"},\n" } { printf "%s\\n", $$0 } \
	      END { printf "%s", end }' | LC_ALL=C sort) > $@
$(patsubst %.c,$(BUILD)/%.o,$(wildcard apl/elaborate/*.c)): $(BUILD)/generated/prelude.inc

# Runtime text that OpenCL kernels carry.
$(BUILD)/generated/%.inc: runtime/%.h
	@mkdir -p $(@D)
	(echo '/* Made from $<. */'; echo 'static const char runtime_$*_text[] ='; \
	 sed -e 's/\\/\\\\/g' -e 's/"/\\"/g' -e 's/^/    "/' -e 's/$$/\\n"/' $<; echo '    "";') > $@
$(patsubst %.c,$(BUILD)/%.o,$(wildcard runtime/opencl*.c)): \
    $(BUILD)/generated/scalar.inc $(BUILD)/generated/random.inc

# What generated programs link with may become part of a shared library, and shows nothing of it.
$(BUILD)/runtime/%.o: IN_LIBRARY := -fPIC -fvisibility=hidden

$(BUILD)/lib/libtailor.a: $(patsubst %.c,$(BUILD)/%.o,$(RUNTIME_SOURCES))
	@mkdir -p $(@D)
	rm -f $@ && ar rcs $@ $^
$(BUILD)/lib/libtailor_opencl.a: $(patsubst %.c,$(BUILD)/%.o,$(wildcard runtime/opencl*.c))
	@mkdir -p $(@D)
	rm -f $@ && ar rcs $@ $^

# The same, shared: what TCC links with in tests (tests/lib.sh).
TEST_RUNTIME := $(BUILD)/tests/lib/libtailor.so $(BUILD)/tests/lib/libtailor_opencl.so
$(BUILD)/tests/lib/%.o: runtime/%.c
	@mkdir -p $(@D)
	$(CC) $(STANDARD) $(WARNINGS) -O1 -fPIC $(INCLUDES) -MMD -MP -c -o $@ $<
$(patsubst runtime/%.c,$(BUILD)/tests/lib/%.o,$(wildcard runtime/opencl*.c)): \
    $(BUILD)/generated/scalar.inc $(BUILD)/generated/random.inc
$(BUILD)/tests/lib/libtailor.so: $(patsubst runtime/%.c,$(BUILD)/tests/lib/%.o,$(RUNTIME_SOURCES))
	$(CC) -shared -o $@ $^ -lm
$(BUILD)/tests/lib/libtailor_opencl.so: $(patsubst runtime/%.c,$(BUILD)/tests/lib/%.o,$(wildcard runtime/opencl*.c))
	$(CC) -shared -o $@ $^ -lOpenCL
$(RUNTIME_PYTHON): runtime/python.py
	@mkdir -p $(@D)
	cp $< $@
$(BUILD)/include/%: runtime/%
	@mkdir -p $(@D)
	cp $< $@

DRIVER_OBJECTS := $(patsubst %.c,$(BUILD)/%.o,$(wildcard driver/*.c))
$(TAILOR): $(DRIVER_OBJECTS) $(ARCHIVES) $(RUNTIME)
	$(call say,link $@)
	@mkdir -p $(@D)
	$(CC) $(CFLAGS) $(SANITIZERS) -o $@ $(DRIVER_OBJECTS) $(ARCHIVES) $(BUILD)/lib/libtailor_opencl.a \
	    $(BUILD)/lib/libtailor.a -lutf8proc -lOpenCL -lm -lpthread

# A unit test is named FOLDER_WHAT.c and links what its folder may know.
below_base := base
below_core := core base
below_tail := tail core base
below_apl := apl tail core base
below_backend := backend core base
below_runtime :=
below_driver := apl tail backend core base
libraries_of = $(patsubst %,$(BUILD)/lib%.a,$(below_$(firstword $(subst _, ,$(notdir $(1))))))
.SECONDEXPANSION:
$(BUILD)/tests/unit/%: $(BUILD)/tests/unit/%.o $$(call libraries_of,$$*) $(RUNTIME)
	$(CC) $(CFLAGS) $(SANITIZERS) -o $@ $(filter %.o %.a,$(filter-out $(RUNTIME),$^)) \
	    $(BUILD)/lib/libtailor_opencl.a $(BUILD)/lib/libtailor.a -lcmocka -lutf8proc -lOpenCL -lm -lpthread
# They are compiled once and run for a moment; with sanitizers for more than that.
ifneq ($(SANITIZE),1)
$(BUILD)/tests/unit/%.o: CFLAGS += -O0
endif
.PRECIOUS: $(BUILD)/tests/unit/%.o $(BUILD)/generated/%.c $(BUILD)/generated/%.h

# Random core, TAIL and APL programs (tests/random): the generators and the shrinker.
RANDOM_TOOLS := $(patsubst %,$(BUILD)/tests/random/%,generate generate-tail generate-apl shrink shrink-tail)
$(BUILD)/tests/random/generate: \
    $(patsubst %,$(BUILD)/tests/random/%.o,generate values atoms operators statements views parts control functions soacs \
        chains nests scatters streams)
$(BUILD)/tests/random/generate-tail: \
    $(patsubst %,$(BUILD)/tests/random/tail_%.o,generate values scalars arrays functions calls)
$(BUILD)/tests/random/generate-apl: $(patsubst %,$(BUILD)/tests/random/apl_%.o,generate rows lengths)
$(BUILD)/tests/random/shrink: $(BUILD)/tests/random/shrink.o $(BUILD)/driver/files.o
$(BUILD)/tests/random/shrink-tail: $(BUILD)/tests/random/shrink_tail.o $(BUILD)/driver/files.o
$(RANDOM_TOOLS): $(BUILD)/libtail.a $(BUILD)/libcore.a $(BUILD)/libbase.a
	$(CC) $(CFLAGS) $(SANITIZERS) -o $@ $(filter %.o,$^) $(filter %.a,$^) -lutf8proc -lm

# Hand-written versions of the measured programs (bench/): sequential C, and the host of OpenCL. Their loops
# are meant for the compiler's vectors.
$(BUILD)/bench/reference: $(wildcard bench/reference/*.c bench/reference/*.h)
	$(call say,compile $@)
	@mkdir -p $(@D)
	$(CC) $(STANDARD) $(WARNINGS) -Wno-unknown-pragmas -Wno-pass-failed -O3 -march=native -ffp-contract=off \
	    -fno-math-errno -fopenmp-simd -I. -o $@ $(filter %.c,$^) -lOpenCL -lm

$(BUILD)/bench/make-input: bench/make-input.c
	@mkdir -p $(@D)
	$(CC) $(STANDARD) $(WARNINGS) -O2 -o $@ $<
# The small programs by NVIDIA's libraries; only where bench/run finds nvcc and a GPU.
NVCCFLAGS ?= -O3 -arch=native
$(BUILD)/bench/cuda: bench/cuda/main.cu
	@mkdir -p $(@D)
	nvcc $(NVCCFLAGS) -std=c++17 --extended-lambda -o $@ $< -lcublas

# Fuzz targets (tests/fuzz): with a main that runs files, for the tests; and with libFuzzer, in a build
# folder of their own (`make fuzz` calls make for that).
FUZZ_TARGETS := apl compile tail core values
FUZZ_OBJECTS := $(BUILD)/tests/fuzz/fuzz.o $(BUILD)/driver/pipeline.o $(BUILD)/driver/files.o
REPLAYS := $(patsubst %,$(BUILD)/tests/fuzz/replay-%,$(FUZZ_TARGETS))
INVENTORS := $(patsubst %,$(BUILD)/tests/fuzz/invent-%,$(FUZZ_TARGETS))
$(REPLAYS): $(BUILD)/tests/fuzz/replay-%: $(BUILD)/tests/fuzz/replay.o $(BUILD)/tests/fuzz/%.o $(FUZZ_OBJECTS) \
    $(ARCHIVES) $(BUILD)/lib/libtailor.a
	$(CC) $(CFLAGS) $(SANITIZERS) -o $@ $(filter %.o,$^) $(filter %.a,$^) -lutf8proc -lm -lpthread
$(INVENTORS): $(BUILD)/tests/fuzz/invent-%: $(BUILD)/tests/fuzz/invent.o $(BUILD)/tests/fuzz/%.o $(FUZZ_OBJECTS) \
    $(ARCHIVES) $(BUILD)/lib/libtailor.a
	$(CC) $(CFLAGS) $(SANITIZERS) -fsanitize=fuzzer -o $@ $(filter %.o,$^) $(filter %.a,$^) -lutf8proc -lm

# ---- what people call ---------------------------------------------------------------------------

# Installs missing packages where it may; otherwise says what to install.
deps:
	@missing=''; for package in $(PACKAGES); do \
	    dpkg-query -W -f='$${Status}' $$package 2>/dev/null | grep -q 'install ok installed' || missing="$$missing $$package"; \
	done; \
	if [ -n "$$missing" ]; then \
	    if [ "$$(id -u)" = 0 ]; then sudo=; elif command -v sudo >/dev/null; then sudo=sudo; else \
	        echo "Please install:$$missing"; exit 1; fi; \
	    echo "Installing:$$missing"; \
	    $$sudo apt-get update -q && $$sudo env DEBIAN_FRONTEND=noninteractive \
	        apt-get install -y -q --no-install-recommends $$missing; \
	fi

demo: deps
	@$(MAKE) --no-print-directory all
	$(TAILOR) run apl-examples/mandelbrot-picture.apl

check: deps
	@$(MAKE) --no-print-directory all unit-tests random-tools bench-tools fuzz-replays test-runtime
	@BUILD=$(BUILD) tests/run-tests

unit-tests: $(UNIT_TESTS)
random-tools: $(RANDOM_TOOLS)
fuzz-replays: $(REPLAYS)
test-runtime: $(TEST_RUNTIME)
fuzz-inventors: $(INVENTORS)

# Random programs: make random N=1000 SEED=1 WAYS='passes chunks c'; as many in core as in TAIL and in APL
N ?= 200
SEED ?= 1
WAYS ?= passes chunks c opencl
random: all random-tools
	BUILD=$(BUILD) tests/random/run -j $$(nproc) -n $(N) -s $(SEED) -b '$(WAYS)'
	BUILD=$(BUILD) tests/random/run -j $$(nproc) -n $(N) -s $(SEED) -b '$(WAYS)' -t
	BUILD=$(BUILD) tests/random/run -j $$(nproc) -n $(N) -s $(SEED) -a

# Compiled programs beside hand-written ones: the table, numbers and plot of bench/run. make bench BENCH='--runs=50'
bench: all bench-tools
	BUILD=$(BUILD) bench/run $(BENCH)
bench-tools: $(BUILD)/bench/reference $(BUILD)/bench/make-input

# Fuzzing, by Clang's libFuzzer (packages clang and libclang-rt-14-dev): make fuzz FUZZ_SECONDS=60
# FUZZ_JOBS=2 FUZZ='apl tail'. What it finds stays in build/fuzz/findings.
FUZZ_SECONDS ?= 60
FUZZ_JOBS ?= 1
FUZZ ?= $(FUZZ_TARGETS)
FUZZ_CC ?= clang
# What the dictionaries know need not be learnt from comparisons, and a NULL is a fault by itself.
FUZZ_SANITIZERS := -DSANITIZED -fsanitize=address,undefined,fuzzer-no-link -fno-sanitize=null -fno-sanitize-recover=undefined \
    -fno-sanitize-coverage=trace-cmp -fno-omit-frame-pointer
fuzz:
	$(MAKE) --no-print-directory BUILD=$(BUILD)/fuzz CC=$(FUZZ_CC) CFLAGS='-O2 -g' \
	    SANITIZERS='$(FUZZ_SANITIZERS)' \
	    fuzz-inventors
	BUILD=$(BUILD)/fuzz FUZZ_SECONDS=$(FUZZ_SECONDS) FUZZ_JOBS=$(FUZZ_JOBS) tests/fuzz/run $(FUZZ)

format:
	clang-format -i $$(git ls-files '*.c' '*.h' | grep -v '\.def$$')

install: all
	install -d $(DESTDIR)$(PREFIX)/bin $(DESTDIR)$(PREFIX)/lib/tailor $(DESTDIR)$(PREFIX)/include/tailor \
	    $(DESTDIR)$(PREFIX)/share/man/man1 $(DESTDIR)$(PREFIX)/share/bash-completion/completions
	install $(TAILOR) $(DESTDIR)$(PREFIX)/bin/
	install -m 644 $(RUNTIME) $(RUNTIME_PYTHON) $(DESTDIR)$(PREFIX)/lib/tailor/
	install -m 644 $(RUNTIME_HEADERS) $(DESTDIR)$(PREFIX)/include/tailor/
	install -m 644 docs/tailor.1 $(DESTDIR)$(PREFIX)/share/man/man1/
	install -m 644 driver/completion.bash $(DESTDIR)$(PREFIX)/share/bash-completion/completions/tailor

clean:
	rm -rf $(BUILD)

.PHONY: all bench bench-tools deps demo check unit-tests random random-tools fuzz fuzz-replays fuzz-inventors test-runtime format install clean
-include $(shell find $(BUILD) -name '*.d' 2>/dev/null)
