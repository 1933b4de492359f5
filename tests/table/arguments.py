"""Arguments of the expressions in the tables, by type class and shape class."""
SHAPES = ("scalar", "vector", "matrix", "cube", "empty")
TYPES = ("bool", "int", "double", "char")

# Right arguments, and left arguments that go with them.
RIGHT = {
    "bool": {"scalar": "1", "vector": "1 0 1 1 0", "matrix": "2 3⍴1 0 0 1 1 0", "cube": "2 2 2⍴1 0 1 1 0",
             "empty": "0⍴1"},
    "int": {"scalar": "¯3", "vector": "3 ¯1 4 0 5", "matrix": "2 3⍴5 ¯2 0 7 3 ¯8", "cube": "2 2 2⍴6 ¯7 8 9 ¯2",
            "empty": "0⍴7"},
    "double": {"scalar": "2.5", "vector": "0.5 ¯1.25 3.75 2.5 10.125", "matrix": "2 3⍴1.5 ¯0.25 6.5 2.125 ¯3.5",
               "cube": "2 2 2⍴4.5 0.75 ¯2.25", "empty": "0⍴0.5"},
    "char": {"scalar": "'n'", "vector": "'llama'", "matrix": "2 3⍴'abcabd'", "cube": "2 2 2⍴'abcdefab'",
             "empty": "''"},
}
LEFT = {
    "bool": {"scalar": "0", "vector": "1 1 0 1 0", "matrix": "2 3⍴1 1 0 0 1", "cube": "2 2 2⍴0 1 1 0 1",
             "empty": "0⍴0"},
    "int": {"scalar": "4", "vector": "2 5 ¯4 1 5", "matrix": "2 3⍴3 2 ¯6 2 1 4", "cube": "2 2 2⍴5 3 ¯2",
            "empty": "⍳0"},
    "double": {"scalar": "1.5", "vector": "2.5 0.25 ¯1.5 4.75 0.5", "matrix": "2 3⍴0.5 2.75 3.25",
               "cube": "2 2 2⍴1.75 ¯2.5 8.5", "empty": "0⍴2.5"},
    "char": {"scalar": "'a'", "vector": "'lemon'", "matrix": "2 3⍴'abdxbc'", "cube": "2 2 2⍴'axcdxx'",
             "empty": "0⍴'x'"},
}
# Numbers that suit functions of a smaller domain.
POSITIVE = {
    "bool": {"scalar": "1", "vector": "1 0 1 1 0", "matrix": "2 3⍴1 0 0 1 1 0", "cube": "2 2 2⍴1 0 1 1 0",
             "empty": "0⍴1"},
    "int": {"scalar": "5", "vector": "3 1 4 2 5", "matrix": "2 3⍴5 2 1 7 3 8", "cube": "2 2 2⍴6 7 8 9 2",
            "empty": "0⍴7"},
    "double": {"scalar": "2.5", "vector": "0.5 1.25 3.75 2.5 6.125", "matrix": "2 3⍴1.5 0.25 6.5 2.125 3.5",
               "cube": "2 2 2⍴4.5 0.75 2.25", "empty": "0⍴0.5"},
    "char": RIGHT["char"],
}
SMALL = {
    "bool": POSITIVE["bool"],
    "int": {"scalar": "2", "vector": "2 1 2 3 2", "matrix": "2 3⍴2 3 4", "cube": "2 2 2⍴3 2", "empty": "⍳0"},
    "double": {"scalar": "1.5", "vector": "1.5 0.5 2.25 1.25 3.5", "matrix": "2 3⍴2.5 0.5 1.5", "cube": "2 2 2⍴1.5 2.5",
               "empty": "0⍴2.5"},
    "char": LEFT["char"],
}
CIRCLES = {
    "bool": SMALL["bool"],
    "int": {"scalar": "3", "vector": "1 ¯1 2 ¯3 0", "matrix": "2 3⍴5 6 7 ¯2 ¯5 ¯7", "cube": "2 2 2⍴4 3 1 2",
            "empty": "⍳0"},
    "double": {"scalar": "2.0", "vector": "1.0 2.0 3.0 5.0 6.0", "matrix": "2 3⍴7.0 1.0", "cube": "2 2 2⍴1.0",
               "empty": "0⍴2.0"},
    "char": LEFT["char"],
}
ANGLES = {
    "bool": POSITIVE["bool"],
    "int": {"scalar": "2", "vector": "1 ¯1 2 0 0", "matrix": "2 3⍴2 ¯1 0 1 3 0", "cube": "2 2 2⍴1 2 3", "empty": "0⍴7"},
    "double": {"scalar": "0.5", "vector": "0.25 ¯0.5 0.75 0.125 ¯0.25", "matrix": "2 3⍴0.5 0.25 0.75 ¯0.25",
               "cube": "2 2 2⍴0.5 1.25", "empty": "0⍴0.5"},
    "char": RIGHT["char"],
}
COMPLEX = {
    "right": {"scalar": "3J4", "vector": "1J2 3 ¯1J0.5 0 2J¯1", "matrix": "2 3⍴1J1 0J2 ¯3 2J¯2", "cube": "2 2 2⍴1J2 ¯1J1 0.5",
              "empty": "0⍴1J1"},
    "left": {"scalar": "2J¯1", "vector": "2 0J1 1J1 4J¯3 2J¯1", "matrix": "2 3⍴2J1 1 0J¯1 ¯3", "cube": "2 2 2⍴3J1 1J2 ¯1J¯1",
             "empty": "0⍴2J3"},
}


def hidden(text):
    return "«" + text + "»"


def shaped(text):
    """Hidden but for its shape."""
    return "‹" + text + "›"


def hidden_unless(plain, text):
    """Not hidden where the compiler has to know the extents to see what is meant."""
    return "(" + text + ")" if plain else hidden(text)


def mirrored(f, left, right, kind, what):
    return "dyad %s %s %s" % (f, kind, what), left + f + right, None
