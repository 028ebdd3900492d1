/** The number of lines that are shown of each side. */
const SHOWN = 5
/** The number of equal lines after which the two texts count as equal again. */
const IN_STEP = 3

/**
 * Shows the first place where a file differs from the expected text: removed lines with `-`, added lines with
 * `+`.
 */
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

/** The fewest lines to remove from both sides, counted together, until the next lines are equal. */
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
