/**
 * What stays with a session behind its transaction, where the next tenant would find it: temporary tables, which come before those of the same name,
 * cursors, locks and settings. Statements that are prepared hold no rows.
 */
const TRACES = new RegExp(
  [
    String.raw`\btemp(?:orary)?\s+(?:table|view|sequence|recursive)\b`,
    // Not: insert into temp (…), which is a table of that name.
    String.raw`\binto\s+(?:(?:local|global)\s+)?temp(?:orary)?\s+(?:table\s+)?(?!(?:as|default|overriding|select|using|values|with)\b)["\w]`,
    String.raw`\bpg_temp\b`,
    String.raw`\bwith\s+hold\b`,
    String.raw`\bpg_(?:try_)?advisory_lock`,
    String.raw`\bset_config\s*\([^]*?\bfalse\b`,
    String.raw`^[\s;]*(?:set\s+(?!local\b|transaction\b|constraints\b)|listen\b|load\b)`,
  ].join('|'),
  'i',
)

/**
 * Whether a statement may leave something in its session. It looks for words: it keeps mistakes from being seen by others, and is no fence against
 * who means harm.
 */
export function leavesTraces(text: string): boolean {
  return TRACES.test(text) && !/\bon\s+commit\s+drop\b/i.test(text)
}
