import { MAX_ISSUES } from '../max-issues.js'
import type { WorkLimit } from '../work-limit.js'

/** The loops that Ajv writes over what a client has sent: items and properties. Those over keywords have other names. */
const LOOP = /for\((?:let \w+=[^;]+; \w+<len\d+; \w+\+\+|const \w+ in \w+)\)\{/g

/** The beginning of a function that Ajv writes for a schema; what is referred to has one of its own. */
const FUNCTION = /function validate\d+\(data, \{[^}]*\}=\{\}\)\{/g

/** What Ajv says of the schema that it compiles. */
interface Compiling {
  readonly meta?: boolean | undefined
  readonly root: { readonly meta?: boolean | undefined }
}

/** What code of {@link bounded} counts down, as a property of its Ajv. */
export interface Bounded {
  work: WorkLimit
}

/**
 * Ajv's option `process`, which sees the functions that it writes. With `allErrors` they keep all errors of 50,000 items, and of
 * each alternative: gigabytes. Here a loop keeps its first {@link MAX_ISSUES}, and forgets what comes behind: of all errors
 * the first stay the same, and an item stays as wrong as it is. And it counts how often a function is called.
 */
export function bounded(code: string, schema?: Compiling): string {
  // The schemas of schemas are the author's affair.
  if (schema?.meta ?? schema?.root.meta) return code
  let loops = 0
  return code
    .replace(FUNCTION, (head) => `${head}if(--self.work.left<0)self.work.extend();`)
    .replace(LOOP, (head) => {
      const before = `before${loops++}`
      const keep = `errors=${before}+${MAX_ISSUES};vErrors.length=errors`
      return `const ${before}=errors;${head}if(errors-${before}>${MAX_ISSUES}){${keep}}`
    })
}
