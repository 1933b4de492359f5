⍝ HotSpot: the temperature of a chip over time, from the power that its parts draw.
⍝ Input: apl-examples/data/make-hotspot writes the two files, 512×512 numbers each.
⍝ test: --n=16 --steps=5
⍝ gives: 327.917181
⍝ gives: 317.9216107
⍝ gives: 322.5802274
⍝ input: apl-examples/data/make-hotspot

n     ← ⎕ArgInt 'n' 512       ⍝ the chip is n by n cells
steps ← ⎕ArgInt 'steps' 360

temperature ← (n n)⍴⎕ReadDoubleVecFile 'apl-examples/data/hotspot-temperature.txt'
power       ← (n n)⍴⎕ReadDoubleVecFile 'apl-examples/data/hotspot-power.txt'

⍝ The chip: sizes in metre, conductivity in W÷m×K, heat in J÷m*3×K, temperatures in degrees.
side         ← 0.016
thickness    ← 0.0005
conductivity ← 100
heat         ← 1.75E6
factor       ← 0.5
ambient      ← 80

⍝ A cell: heat capacity, and thermal resistance across, along and to the air.
cell     ← side÷n
capacity ← factor×heat×thickness×cell×cell
across   ← cell÷2×conductivity×thickness×cell
along    ← across
to_air   ← thickness÷conductivity×cell×cell
slope    ← 3.0E6÷factor×thickness×heat    ⍝ the most that a temperature can change, in degrees a second
time     ← 0.001÷slope                    ⍝ a step changes no temperature by more than 0.001 degrees

⍝ One step. A neighbour beyond the border has the temperature of the border itself.
step ← {
    north ← ⍵[1;]⍪¯1 0↓⍵
    south ← (1 0↓⍵)⍪⍵[n;]
    west  ← ⍵[;1],0 ¯1↓⍵
    east  ← (0 1↓⍵),⍵[;n]
    vertical   ← (north+south-2×⍵)÷along
    horizontal ← (west+east-2×⍵)÷across
    ⍵+(time÷capacity)×power+vertical+horizontal+(ambient-⍵)÷to_air
}

final ← (step⍣steps) temperature
⎕ ← ⌈/,final
⎕ ← ⌊/,final
⎕ ← (+/,final)÷n×n
