import type { Ajv, CodeKeywordDefinition, KeywordCxt, Options } from 'ajv'
import { MAX_ISSUES, WorkLimit } from '../work-limit.js'
import { replaceMultipleOf, replaceUniqueItems } from './own-keywords.js'
import { type AjvClass, shareMetaSchema } from './share-meta-schema.js'

/**
 * Matches Ajv's check that a string can be coerced to a number: `'1e400' == +'1e400'`. Both sides become `Infinity`, so
 * the check passes.
 */
const COERCIBLE = /(data\d*) == \+\1/g

/**
 * Matches the check with which Ajv, because of `strictNumbers`, decides whether the number keywords apply to a value.
 * The lookahead excludes the check in a coercion, which has the same code.
 */
const CONCERNED = /if\(\(typeof (data\d*) == "number"\) && \(isFinite\(\1\)\)\)\{(?!coerced)/g

/**
 * Changes the functions that Ajv generates: they then refuse `Infinity`, which JSON cannot represent, in two cases that
 * `strictNumbers` misses. The first is a string that was coerced to a number. The second is a schema without `type`:
 * for a value that is not finite, `strictNumbers` skips the limits of the schema, so the value would pass.
 */
function finiteNumbers(code: string): string {
  return code
    .replace(COERCIBLE, (question, data) => `${question} && isFinite(${data})`)
    .replace(CONCERNED, (_question, data) => `if(typeof ${data} == "number"){`)
}

/** A supported draft of JSON Schema. */
export type Draft = '2020-12' | '2019-09' | 'draft-07'

/** The Ajv class of each draft. All classes accept the same options. */
const CLASSES: Readonly<Record<Draft, () => Promise<AjvClass>>> = {
  '2020-12': async () => (await import('ajv/dist/2020.js')).Ajv2020,
  '2019-09': async () => (await import('ajv/dist/2019.js')).Ajv2019,
  'draft-07': async () => (await import('ajv')).Ajv,
}

export const DRAFTS: readonly Draft[] = ['2020-12', '2019-09', 'draft-07']

/** An Ajv instance whose generated functions count their work. */
export type BoundedAjv = Ajv & Bounded

const OPTIONS: Options = {
  useDefaults: true,
  // Allows keywords from other tools, such as TypeBox and OpenAPI.
  strict: false,
  strictNumbers: true,
  code: { process: (code, schema) => finiteNumbers(bounded(code, schema)) },
}

/** Creates an Ajv instance for one draft, with formats. */
export type CreateAjv = (options: Options) => BoundedAjv

/** Loads Ajv for one draft, when the first JSON Schema of that draft is compiled. */
export async function loadAjv(draft: Draft): Promise<CreateAjv> {
  const [DraftAjv, ajvs, formats] = await Promise.all([
    CLASSES[draft](),
    import('ajv'),
    import('ajv-formats'),
  ])
  // ajv-formats is CommonJS: depending on the loader, its `default` is the function or `module.exports`.
  const imported = formats.default as unknown as { default?: unknown }
  const addFormats = (imported.default ?? imported) as (ajv: Ajv) => void
  return function createAjv(options) {
    const ajv = Object.assign(new DraftAjv({ ...OPTIONS, ...options }), { work: new WorkLimit() })
    shareMetaSchema(ajv, DraftAjv)
    addFormats(ajv)
    makeLinear(ajv)
    replaceEquality(ajv)
    replaceUniqueItems(ajv, ajvs)
    replaceMultipleOf(ajv, ajvs)
    nameSoughtItems(ajv)
    // 2019-09 has no `prefixItems`. If the keyword is not added, Ajv ignores a tuple in that form.
    if (draft === '2019-09') {
      ajv.addKeyword({ keyword: 'prefixItems', type: 'array', macro: (items) => ({ items }) })
    }
    return ajv
  }
}

/**
 * The part of a regular expression that matches the credentials in a URL: Ajv's original, and a simpler replacement.
 * Both match the same strings.
 */
const CREDENTIALS = [String.raw`\S+(?::\S*)?@`, String.raw`\S+@`] as const

/**
 * Replaces the expression of the format `url`. Ajv's own expression tries every colon as the start of the password, and
 * every end of the user name and the password, so a string of 100 kB takes minutes.
 */
function makeLinear(ajv: Ajv): void {
  const url = ajv.formats['url']
  if (!(url instanceof RegExp)) return
  ajv.addFormat('url', new RegExp(url.source.replace(...CREDENTIALS), url.flags))
}

/** The path that identifies Ajv's own equality function in generated code. */
const OWN = 'ajv/dist/runtime/equal'

/**
 * Makes `const` and `enum` compare values as data. Ajv's own function calls `valueOf` and `toString` on objects, but a
 * client can send a body in which such a property is not a function.
 */
function replaceEquality(ajv: Ajv): void {
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
function isEqual(a: unknown, b: unknown): boolean {
  if (a === b) return true
  if (!isObject(a) || !isObject(b) || Array.isArray(a) !== Array.isArray(b)) return false
  const names = Object.keys(a)
  if (names.length !== Object.keys(b).length) return false
  return names.every((name) => Object.hasOwn(b, name) && isEqual(a[name], b[name]))
}

function isObject(value: unknown): value is Readonly<Record<string, unknown>> {
  return typeof value === 'object' && value !== null
}

/**
 * Matches the loops that Ajv generates over items and properties of the value. Loops over keywords use other
 * variable names.
 */
const LOOP = /for\((?:let (\w+)=[^;]+; \w+<len\d+; \w+\+\+|const \w+ in \w+)\)\{/g

/** The name of the loop variable of `contains`. In its loop, an item is allowed not to match. */
const SOUGHT = 'sought'

/**
 * Matches the beginning of a function that Ajv generates for a schema. Each target of a `$ref` has its own function.
 */
const FUNCTION = /function validate\d+\(data, \{[^)]*\}=\{\}\)\{/g

/** The information about the compiled schema that Ajv passes to its `process` option. */
interface Compiling {
  readonly meta?: boolean | undefined
  readonly root: { readonly meta?: boolean | undefined }
}

/**
 * Matches the end of a function that Ajv generates for a schema. The function that calls it receives all of its errors.
 */
const END = /validate\d+\.errors = vErrors;/g

/** The property of an Ajv instance that the code from {@link bounded} counts down. */
interface Bounded {
  work: WorkLimit
}

/**
 * Ajv's `process` option: changes the functions that Ajv generates. With `allErrors`, the original functions would
 * collect the errors of 50,000 items and of each alternative, which can take a gigabyte. The changed loops end after
 * the first {@link MAX_ISSUES} errors. A changed function also returns at most that many errors, because otherwise the
 * number of errors doubles at each level of alternatives that contain themselves. The first errors stay the same, and
 * an invalid value is still invalid. The changed functions also count each call for the {@link WorkLimit}.
 */
function bounded(code: string, schema?: Compiling): string {
  // Meta-schemas validate the application's schemas, not client data.
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
 * Sets the name of the loop variable of `contains`, so that {@link bounded} recognizes its loop, which must not end
 * before a matching item is found.
 */
function nameSoughtItems(ajv: Ajv): void {
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
