import { unicodePattern } from './unicode-pattern.js'

/**
 * Matches `Symbol(` and every character that is neither a letter nor a digit. Quotes, for example, show the kind of a
 * token and are not part of its name.
 */
const SIGNS = String.raw`^symbol\(|[^\p{L}\p{N}]`

/**
 * Returns at most three known names that are similar to a misspelt name, most similar first. Similar names differ only
 * in a few letters that are changed, added, missing or swapped.
 */
export function nearNames(name: string, known: Iterable<string>): string[] {
  const wanted = plain(name)
  const farthest = Math.max(1, Math.floor(wanted.length / 3))
  return [...new Set(known)]
    .map((each) => ({ name: each, distance: editDistance(wanted, plain(each)) }))
    .filter(({ distance }) => distance <= farthest)
    .sort((a, b) => a.distance - b.distance)
    .slice(0, 3)
    .map((near) => near.name)
}

function plain(name: string): string {
  return name.toLowerCase().replace(unicodePattern(SIGNS, 'gu'), '')
}

/**
 * Returns the number of edits that turn one word into the other. A swap of adjacent letters is one edit (optimal string
 * alignment).
 */
function editDistance(a: string, b: string): number {
  let [last, row]: number[][] = [[], [...Array(b.length + 1).keys()]] as [number[], number[]]
  for (let i = 1; i <= a.length; i++) {
    const next = [i]
    for (let j = 1; j <= b.length; j++) {
      const change = at(row, j - 1) + Number(a[i - 1] !== b[j - 1])
      const isSwap = i > 1 && j > 1 && a[i - 1] === b[j - 2] && a[i - 2] === b[j - 1]
      const swap = isSwap ? at(last, j - 2) + 1 : Number.POSITIVE_INFINITY
      next.push(Math.min(change, swap, at(row, j) + 1, at(next, j - 1) + 1))
    }
    ;[last, row] = [row, next]
  }
  return at(row, b.length)
}

function at(row: readonly number[], index: number): number {
  return row[index] as number
}
