/** The number of lines that are shown of each side. */
const SHOWN = 3

/**
 * Shows the first place where a file differs from the expected text: lines of the file with `-`, expected lines with
 * `+`.
 */
export function firstDifferences(actual: string, expected: string): string {
  const [from, to] = [actual.split('\n'), expected.split('\n')]
  const found = from.findIndex((line, index) => line !== to[index])
  const first = found === -1 ? from.length : found
  const shown = (sign: string, lines: readonly string[]) =>
    lines.slice(first, first + SHOWN).map((line) => `${sign} ${line}`)
  return [`line ${first + 1}:`, ...shown('-', from), ...shown('+', to)].join('\n')
}
