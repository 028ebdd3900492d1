/**
 * Matches Ajv's check whether text can be coerced to a number: `'1e400' == +'1e400'`. Both sides become
 * `Infinity`, so the check passes.
 */
const COERCIBLE = /(data\d*) == \+\1/g

/**
 * Matches Ajv's check, with `strictNumbers`, whether the number keywords apply to a value. The lookahead
 * excludes a check during a coercion, which has the same code.
 */
const CONCERNED = /if\(\(typeof (data\d*) == "number"\) && \(isFinite\(\1\)\)\)\{(?!coerced)/g

/**
 * Makes the functions that Ajv generates refuse `Infinity`, which JSON does not have, in two cases that
 * `strictNumbers` misses. The first is text that was coerced to a number. The second is a schema without
 * `type`: `strictNumbers` skips its limits for a value that is not finite, so the value would pass.
 */
export function finiteNumbers(code: string): string {
  return code
    .replace(COERCIBLE, (question, data) => `${question} && isFinite(${data})`)
    .replace(CONCERNED, (_question, data) => `if(typeof ${data} == "number"){`)
}
