import type { Ajv, CodeKeywordDefinition, KeywordCxt } from 'ajv'
import { MAX_ISSUES } from '../max-issues.js'
import type { WorkLimit } from '../work-limit.js'

/** The loops that Ajv writes over what a client has sent: items and properties. Those over keywords have other names. */
const LOOP = /for\((?:let (\w+)=[^;]+; \w+<len\d+; \w+\+\+|const \w+ in \w+)\)\{/g

/** What an item of a list is called while `contains` looks for it. Some items may well be wrong then. */
const SOUGHT = 'sought'

/** The beginning of a function that Ajv writes for a schema; what is referred to has one of its own. */
const FUNCTION = /function validate\d+\(data, \{[^)]*\}=\{\}\)\{/g

/** What Ajv says of the schema that it compiles. */
interface Compiling {
  readonly meta?: boolean | undefined
  readonly root: { readonly meta?: boolean | undefined }
}

/** The end of such a function. Whoever has called it takes over all its errors. */
const END = /validate\d+\.errors = vErrors;/g

/** What code of {@link bounded} counts down, as a property of its Ajv. */
export interface Bounded {
  work: WorkLimit
}

/**
 * Ajv's option `process`, which sees the functions that it writes. With `allErrors` they keep all errors of 50,000 items, and of
 * each alternative: a gigabyte. Here a loop ends behind its first {@link MAX_ISSUES}: of all errors the first stay the same, and
 * what is wrong stays wrong. So does a function, whose errors would else double on each level of alternatives that contain
 * themselves. And it counts how often a function is called.
 */
export function bounded(code: string, schema?: Compiling): string {
  // The schemas of schemas are the author's affair.
  if (schema?.meta ?? schema?.root.meta) return code
  let loops = 0
  return code
    .replace(FUNCTION, (head) => `${head}if(--self.work.left<0)self.work.extend();`)
    .replace(END, (end) => `if(errors>${MAX_ISSUES})vErrors.length=${MAX_ISSUES};${end}`)
    .replace(LOOP, (head, item: string | undefined) => {
      const before = `before${loops++}`
      const isSought = item?.startsWith(SOUGHT)
      return `const ${before}=errors;${head}${isSought ? forget(before) : stop(before)}`
    })
}

function stop(before: string): string {
  return `if(errors-${before}>=${MAX_ISSUES})break;`
}

function forget(before: string): string {
  return `if(errors-${before}>${MAX_ISSUES}){errors=${before}+${MAX_ISSUES};vErrors.length=errors}`
}

/** Makes {@link bounded} know the loop of `contains`, which must not end before the item is found. */
export function nameSoughtItems(ajv: Ajv): void {
  const rule = ajv.RULES.all['contains']
  const { code: write } = (typeof rule === 'object' ? rule.definition : {}) as CodeKeywordDefinition
  if (typeof rule !== 'object' || write === undefined) return
  function code(cxt: KeywordCxt): void {
    const { gen } = cxt
    const { forRange } = gen
    gen.forRange = (_name, ...others) => forRange.call(gen, SOUGHT, ...others)
    write(cxt)
    gen.forRange = forRange
  }
  rule.definition = { ...rule.definition, code } as typeof rule.definition
}
