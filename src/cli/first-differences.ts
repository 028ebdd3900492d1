/** Lines of each side that are shown. */
const SHOWN = 5
/** Lines that must be the same again before two texts are believed to be in step. */
const IN_STEP = 3

/** Where a file begins to differ from what it should be: lines that go (`-`) and lines that come (`+`), until it is the same again. */
export function firstDifferences(actual: string, expected: string): string {
  const [from, to] = [actual.split('\n'), expected.split('\n')]
  const start = from.findIndex((line, index) => line !== to[index])
  const first = start === -1 ? from.length : start
  const [gone, fresh] = untilInStep(from.slice(first), to.slice(first))
  const isLast =
    from.slice(first + gone.length).join('\n') === to.slice(first + fresh.length).join('\n')
  const lines = [`line ${first + 1}:`, ...shown('-', gone), ...shown('+', fresh)]
  return [...lines, ...(isLast ? [] : ['… and further down'])].join('\n')
}

/** How much of each side has to be taken away until both go on alike; the nearest such place, counted on both sides. */
function untilInStep(from: readonly string[], to: readonly string[]): [string[], string[]] {
  for (let taken = 1; taken <= from.length + to.length; taken++) {
    for (let gone = Math.max(0, taken - to.length); gone <= Math.min(taken, from.length); gone++) {
      const fresh = taken - gone
      if (isAlike(from, gone, { other: to, at: fresh }))
        return [from.slice(0, gone), to.slice(0, fresh)]
    }
  }
  return [[...from], [...to]]
}

function isAlike(
  lines: readonly string[],
  from: number,
  { other, at }: { readonly other: readonly string[]; readonly at: number },
): boolean {
  for (let i = 0; i < IN_STEP; i++) {
    const [one, two] = [lines[from + i], other[at + i]]
    if (one !== two) return false
    if (one === undefined) return true
  }
  return true
}

function shown(sign: string, lines: readonly string[]): string[] {
  const first = lines.slice(0, SHOWN).map((line) => `${sign} ${line}`)
  return lines.length > SHOWN ? [...first, `${sign} … ${lines.length - SHOWN} more`] : first
}
