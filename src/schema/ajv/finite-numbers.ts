/** How Ajv asks whether a text can be coerced to a number. `'1e400' == +'1e400'`: one is `Infinity`, and so is the other. */
const COERCIBLE = /(data\d*) == \+\1/g

/** How Ajv, with `strictNumbers`, asks whether the keywords of numbers concern a value. What stands behind a coercion asks the same. */
const CONCERNED = /if\(\(typeof (data\d*) == "number"\) && \(isFinite\(\1\)\)\)\{(?!coerced)/g

/**
 * Makes the functions that Ajv writes refuse `Infinity`, which is no number of JSON, where its own `strictNumbers` does not: in what is coerced
 * from text, and by the limits of a schema without a type, which it would no longer hold against such a value.
 */
export function finiteNumbers(code: string): string {
  return code
    .replace(COERCIBLE, (question, data) => `${question} && isFinite(${data})`)
    .replace(CONCERNED, (_question, data) => `if(typeof ${data} == "number"){`)
}
