import type { Ajv, CodeKeywordDefinition, KeywordCxt } from 'ajv'
import { MAX_ISSUES } from '../max-issues.js'
import type { WorkLimit } from '../work-limit.js'

/**
 * Matches the loops that Ajv generates over items and properties of the value. Loops over keywords use other
 * variable names.
 */
const LOOP = /for\((?:let (\w+)=[^;]+; \w+<len\d+; \w+\+\+|const \w+ in \w+)\)\{/g

/** The name of the loop variable of `contains`. An item that does not match is not an error there. */
const SOUGHT = 'sought'

/**
 * Matches the beginning of a function that Ajv generates for a schema. Each schema to which a `$ref` leads has its
 * own function.
 */
const FUNCTION = /function validate\d+\(data, \{[^)]*\}=\{\}\)\{/g

/** The values that Ajv passes about the schema that it compiles. */
interface Compiling {
  readonly meta?: boolean | undefined
  readonly root: { readonly meta?: boolean | undefined }
}

/** Matches the end of such a function. The caller of the function takes over all its errors. */
const END = /validate\d+\.errors = vErrors;/g

/** The property of an Ajv instance that code from {@link bounded} decrements. */
export interface Bounded {
  work: WorkLimit
}

/**
 * Ajv's option `process`: changes the functions that Ajv generates. With `allErrors` they would collect the
 * errors of 50,000 items and of each alternative, which can take a gigabyte. Here a loop ends after its first
 * {@link MAX_ISSUES} errors. A function also returns at most that many, because otherwise the errors double
 * on each level of alternatives that contain themselves. The first errors stay the same, and a wrong value
 * stays wrong. Each function call is also counted for the {@link WorkLimit}.
 */
export function bounded(code: string, schema?: Compiling): string {
  // Meta-schemas validate the schemas of the application, not data of a client.
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

/**
 * Names the loop variable of `contains`, so that {@link bounded} recognises its loop. That loop must not end
 * before an item is found.
 */
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
