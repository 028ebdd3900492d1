/** The lines that differ, as `-` and `+`, with the number that a line has in the old or the new text. */
export function lineDiff(from: string, to: string): string[] {
  const [old, fresh] = [linesOf(from), linesOf(to)]
  const lines: string[] = []
  let [i, j] = [0, 0]
  const width = String(Math.max(old.length, fresh.length)).length
  const show = (sign: string, line: number, text: string | undefined) =>
    lines.push(`${String(line).padStart(width)} ${sign} ${text}`.trimEnd())
  while (i < old.length || j < fresh.length) {
    if (i < old.length && old[i] === fresh[j]) {
      i++
      j++
      continue
    }
    const gone = old.slice(i).findIndex((line) => fresh.indexOf(line, j) !== -1)
    const end = gone === -1 ? old.length : i + gone
    const next = end === old.length ? fresh.length : fresh.indexOf(old[end] as string, j)
    while (i < end) show('-', ++i, old[i - 1])
    while (j < next) show('+', ++j, fresh[j - 1])
  }
  return lines
}

/** An end of line at the end of a text begins no line. */
function linesOf(text: string): string[] {
  const lines = text.split(/\r?\n/)
  if (lines.at(-1) === '') lines.pop()
  return lines
}
