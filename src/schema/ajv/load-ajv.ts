import type { Ajv, CodeKeywordDefinition, KeywordCxt, Options } from 'ajv'
import { WorkLimit } from '../work-limit.js'
import { type Bounded, bounded, nameSoughtItems } from './bounded-code.js'
import { replaceMultipleOf } from './multiple-of.js'
import { replaceUniqueItems } from './unique-items.js'

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
function finiteNumbers(code: string): string {
  return code
    .replace(COERCIBLE, (question, data) => `${question} && isFinite(${data})`)
    .replace(CONCERNED, (_question, data) => `if(typeof ${data} == "number"){`)
}

/** A supported draft of JSON Schema. */
export type Draft = '2020-12' | '2019-09' | 'draft-07'

/** The Ajv class of each draft. All of them take the same options. */
const CLASSES: Readonly<Record<Draft, () => Promise<new (options: Options) => Ajv>>> = {
  '2020-12': async () => (await import('ajv/dist/2020.js')).Ajv2020,
  '2019-09': async () => (await import('ajv/dist/2019.js')).Ajv2019,
  'draft-07': async () => (await import('ajv')).Ajv,
}

export const DRAFTS: readonly Draft[] = ['2020-12', '2019-09', 'draft-07']

/** An Ajv instance whose generated functions count their work. */
export type BoundedAjv = Ajv & Bounded

const OPTIONS: Options = {
  useDefaults: true,
  // Allows unknown keywords of other tools (TypeBox, OpenAPI).
  strict: false,
  strictNumbers: true,
  code: { process: (code, schema) => finiteNumbers(bounded(code, schema)) },
}

/** Creates an Ajv instance of one draft, with formats. */
export type CreateAjv = (options: Options) => BoundedAjv

/** Loads the Ajv of one draft. Called at the first JSON Schema of that draft. */
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
    addFormats(ajv)
    makeLinear(ajv)
    replaceEquality(ajv)
    replaceUniqueItems(ajv, ajvs)
    replaceMultipleOf(ajv, ajvs)
    nameSoughtItems(ajv)
    // 2019-09 has no `prefixItems`. Without this keyword it would ignore a tuple that is written with it.
    if (draft === '2019-09') {
      ajv.addKeyword({ keyword: 'prefixItems', type: 'array', macro: (items) => ({ items }) })
    }
    return ajv
  }
}

/**
 * The part of a URL with user name and password, in Ajv's expression and in a simpler one. Both match the
 * same text.
 */
const CREDENTIALS = [String.raw`\S+(?::\S*)?@`, String.raw`\S+@`] as const

/**
 * Replaces the expression of the format `url`. Ajv's own tries every colon as the one before the password,
 * with every end of both parts, so 100 kB of text take minutes.
 */
function makeLinear(ajv: Ajv): void {
  const url = ajv.formats['url']
  if (!(url instanceof RegExp)) return
  ajv.addFormat('url', new RegExp(url.source.replace(...CREDENTIALS), url.flags))
}

/** The path by which Ajv's own equality function is recognised in generated code. */
const OWN = 'ajv/dist/runtime/equal'

/**
 * Makes `const` and `enum` compare values as data. Ajv's own function calls `valueOf` and `toString` of
 * objects, and a client may send a body with such a property that is not a function.
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
