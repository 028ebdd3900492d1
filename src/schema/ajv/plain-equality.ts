import type { Ajv, CodeKeywordDefinition, KeywordCxt } from 'ajv'

/** The path by which Ajv's own equality function is recognised in generated code. */
const OWN = 'ajv/dist/runtime/equal'

/**
 * Makes `const` and `enum` compare values as data. Ajv's own function calls `valueOf` and `toString` of
 * objects, and a client may send a body with such a property that is not a function.
 */
export function replaceEquality(ajv: Ajv): void {
  for (const keyword of ['const', 'enum']) {
    const rule = ajv.RULES.all[keyword]
    if (typeof rule !== 'object') continue
    const { code: write } = rule.definition as CodeKeywordDefinition
    function code(cxt: KeywordCxt): void {
      const { gen } = cxt
      const { scopeValue } = gen
      gen.scopeValue = (prefix, value) => {
        const isOwn = String(value.code).includes(OWN)
        return scopeValue.call(gen, prefix, isOwn ? { ref: isEqual } : value)
      }
      write(cxt)
      gen.scopeValue = scopeValue
    }
    rule.definition = { ...rule.definition, code } as typeof rule.definition
  }
}

/** Whether two values are the same JSON. */
export function isEqual(a: unknown, b: unknown): boolean {
  if (a === b) return true
  if (!isObject(a) || !isObject(b) || Array.isArray(a) !== Array.isArray(b)) return false
  const names = Object.keys(a)
  if (names.length !== Object.keys(b).length) return false
  return names.every((name) => Object.hasOwn(b, name) && isEqual(a[name], b[name]))
}

function isObject(value: unknown): value is Readonly<Record<string, unknown>> {
  return typeof value === 'object' && value !== null
}
