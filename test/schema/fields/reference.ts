import { Ajv2020 } from 'ajv/dist/2020.js'

/**
 * The rule of `responses: 'strip'`, written a second time and in another way: it works on JSON data only, looks at one
 * value at a time, and leaves the decision which branch of a union fits to Ajv.
 */
export type Json = null | boolean | number | string | Json[] | { [name: string]: Json }
export type Schema = boolean | { readonly [keyword: string]: unknown }

/** A schema, or several of which both apply, which all fit, or of which none fits. */
type Rule = Schema | Joined

interface Joined {
  readonly op: 'both' | 'either' | 'common'
  readonly of: readonly Rule[]
}

const isJoined = (rule: Exclude<Rule, boolean>): rule is Joined => 'op' in rule

/** Which parts stay: all, none (no object or list may be here), or those with a rule. */
type Verdict = 'all' | 'none' | ReadonlyMap<string | number, Rule>

export class Reference {
  readonly #root: Record<string, unknown>
  readonly #ajv = new Ajv2020({ strict: false, ownProperties: true })
  readonly #fits = new Map<string, (value: unknown) => boolean>()

  constructor(root: Schema) {
    this.#root = (typeof root === 'object' ? root : {}) as Record<string, unknown>
  }

  /** `undefined` if nothing stays. */
  strip(value: Json, rule: Rule = this.#root): Json | undefined {
    if (typeof value !== 'object' || value === null) return value
    const verdict = this.#judge(rule, value)
    if (verdict === 'none') return undefined
    if (verdict === 'all') return value
    if (Array.isArray(value)) {
      const kept = value.filter((_, index) => verdict.has(index))
      return kept.map((item, index) => this.strip(item, verdict.get(index)) ?? null)
    }
    const entries = Object.entries(value).flatMap(([name, part]) => {
      const kept = verdict.has(name) ? this.strip(part, verdict.get(name)) : undefined
      return kept === undefined ? [] : [[name, kept] as const]
    })
    return Object.fromEntries(entries)
  }

  #judge(rule: Rule, value: Json): Verdict {
    if (rule === true) return 'all'
    if (rule === false) return 'none'
    if (isJoined(rule)) {
      const { op, of } = rule
      return join(
        op,
        of.map((each) => this.#judge(each, value)),
      )
    }
    return join('both', [this.#own(rule, value), ...this.#combined(rule, value)])
  }

  #combined(schema: Record<string, unknown>, value: Json): Verdict[] {
    const verdicts: Verdict[] = []
    if (typeof schema['$ref'] === 'string') {
      verdicts.push(this.#judge(this.#definition(schema['$ref']), value))
    }
    for (const part of listOf(schema['allOf'])) verdicts.push(this.#judge(part, value))
    for (const word of ['anyOf', 'oneOf']) {
      if (schema[word] !== undefined) verdicts.push(this.#union(listOf(schema[word]), value))
    }
    return verdicts
  }

  #union(branches: readonly Schema[], value: Json): Verdict {
    const possible = branches.filter((branch) => this.#judge(branch, value) !== 'none')
    if (possible.length === 0) return 'none'
    if (possible.length === 1) return this.#judge(possible[0] as Schema, value)
    const fitting = possible.filter((branch) => this.#matches(branch, value))
    return this.#judge(
      fitting.length > 0 ? { op: 'either', of: fitting } : { op: 'common', of: possible },
      value,
    )
  }

  #matches(branch: Schema, value: Json): boolean {
    const key = JSON.stringify(branch)
    const known = this.#fits.get(key)
    if (known !== undefined) return known(value)
    const $defs = open(this.#root['$defs'] ?? {})
    const compiled = this.#ajv.compile({ allOf: [open(branch)], $defs } as object)
    const fits = (each: unknown) => compiled(each) === true
    this.#fits.set(key, fits)
    return fits(value)
  }

  #definition(reference: string): Schema {
    const name = reference.replace('#/$defs/', '')
    return (this.#root['$defs'] as Record<string, Schema>)[name] as Schema
  }

  #own(schema: Record<string, unknown>, value: Json): Verdict {
    const { type } = schema
    const kind = Array.isArray(value) ? 'array' : 'object'
    if (type !== undefined && ![type].flat().includes(kind)) return 'none'
    if ('const' in schema || 'enum' in schema) return 'none'
    const names = ['properties', 'patternProperties', 'additionalProperties'].some(
      (word) => word in schema,
    )
    if (type === undefined && names && kind === 'array') return 'none'
    return Array.isArray(value) ? ofItems(schema, value) : ofProperties(schema, value as object)
  }
}

function ofItems(schema: Record<string, unknown>, value: readonly Json[]): Verdict {
  if (schema['items'] === undefined && schema['prefixItems'] === undefined) return 'all'
  const first = listOf(schema['prefixItems'])
  const rules = value.map((_, index) => first[index] ?? schema['items'])
  const pairs = rules.flatMap((rule, index) =>
    rule === undefined || rule === false ? [] : [[index, rule as Rule] as const],
  )
  return new Map<number, Rule>(pairs)
}

function ofProperties(schema: Record<string, unknown>, value: object): Verdict {
  const words = ['properties', 'patternProperties', 'additionalProperties']
  if (words.every((word) => schema[word] === undefined)) return 'all'
  const named = (schema['properties'] ?? {}) as Record<string, Schema>
  const patterns = Object.entries((schema['patternProperties'] ?? {}) as Record<string, Schema>)
  const others = schema['additionalProperties'] as Schema | undefined
  const kept = new Map<string, Rule>()
  for (const name of Object.keys(value)) {
    const rules = patterns
      .filter(([source]) => new RegExp(source).test(name))
      .map(([, rule]) => rule)
    if (Object.hasOwn(named, name)) rules.push(named[name] as Schema)
    if (rules.length === 0 && others !== undefined) rules.push(others)
    if (rules.length > 0 && !rules.includes(false)) kept.set(name, { op: 'both', of: rules })
  }
  return kept
}

function join(op: 'both' | 'either' | 'common', verdicts: readonly Verdict[]): Verdict {
  if (op === 'either') {
    if (verdicts.includes('all')) return 'all'
  } else if (verdicts.includes('none')) return 'none'
  const telling = verdicts.filter((each) => typeof each === 'object')
  if (telling.length === 0) return verdicts.includes('all') ? 'all' : 'none'
  const joined = new Map<string | number, Rule>()
  for (const key of new Set(telling.flatMap((each) => [...each.keys()]))) {
    const rules = telling.flatMap((each) => (each.has(key) ? [each.get(key) as Rule] : []))
    if (op === 'common' && rules.length < telling.length) continue
    joined.set(key, { op, of: rules })
  }
  return joined
}

function listOf(value: unknown): Schema[] {
  return Array.isArray(value) ? value : []
}

/** The same schema without the words that close it: fields that are dropped do not decide which branch fits. */
function open(schema: unknown): unknown {
  if (Array.isArray(schema)) return schema.map(open)
  if (typeof schema !== 'object' || schema === null) return schema
  return Object.fromEntries(
    Object.entries(schema).flatMap(([word, value]) =>
      (word === 'additionalProperties' || word === 'items') && value === false
        ? []
        : [[word, open(value)]],
    ),
  )
}
