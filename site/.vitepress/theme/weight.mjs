/**
 * How much a page counts in a search. A guide answers more questions than the page of a name, and pages about the project answer
 * fewer.
 */
export function weightOf(id) {
  if (/\/api\/./.test(id)) return 0.4
  return /\/(project\/|supply-chain)/.test(id) ? 0.15 : 1
}
