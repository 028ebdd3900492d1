import type { Ajv2020 as Ajv } from 'ajv/dist/2020.js'
import type { OpenApiSchema } from '../contracts/openapi.js'
import { type Mismatch, toMismatches } from './mismatches.js'
import { componentName, type Json, toJson } from './openapi-to-json.js'
import { loadAjv } from './openapi-validator.js'

type Components = Readonly<Record<string, OpenApiSchema>>

/** Says what in a value is not as its schema describes; empty when everything is. */
export type FindMismatches = (value: unknown) => readonly Mismatch[]

/** Deeper chains of parts are circles. */
const MAX_DEPTH = 20

/**
 * What was compiled, by its text: a suite makes an application for every test, and compiling takes Ajv some
 * milliseconds. Equal schemas accept the same, whosever they are.
 */
const compiled = new Map<string, FindMismatches>()
const MAX_COMPILED = 2000
let ajv: Ajv | undefined

/**
 * A compiler of what a document says of answers. More is checked than OpenAPI asks for: an object has only the
 * properties that are described, unless `additionalProperties` says otherwise.
 */
export function createResponseCompiler(
  components: Components,
): (schema: OpenApiSchema) => FindMismatches {
  const known = new WeakMap<OpenApiSchema, FindMismatches>()
  return function compileResponseSchema(schema) {
    const found = known.get(schema) ?? compile(schema, components)
    known.set(schema, found)
    return found
  }
}

function compile(schema: OpenApiSchema, components: Components): FindMismatches {
  const json = closedSchema(schema, components)
  const text = JSON.stringify(json)
  const found = compiled.get(text)
  if (found !== undefined) return found
  if (compiled.size >= MAX_COMPILED) compiled.clear()
  ajv ??= loadAjv({ allErrors: true, verbose: true })
  const made = attempt(ajv, json)
  compiled.set(text, made)
  return made
}

/** Nothing is known of answers whose schema does not compile, as with a pattern that is none, or never ends. */
function attempt(compiler: Ajv, json: Json): FindMismatches {
  let validate: ReturnType<Ajv['compile']> | undefined
  return function findMismatches(value) {
    try {
      validate ??= compiler.compile(json)
      return validate(value) === true ? [] : toMismatches(validate.errors ?? [])
    } catch {
      return []
    }
  }
}

/** The schema with all components it leads to; one that is a part of others is there a second time, not closed. */
function closedSchema(root: OpenApiSchema, components: Components): Json {
  const $defs: Record<string, Json> = {}
  const waiting: { key: string; name: string; isWhole: boolean }[] = []
  const seen = new Set<string>()
  const translation = {
    isClosed: (schema: OpenApiSchema) => describesAll(schema, components) === 'closed',
    refTo(name: string, isWhole: boolean) {
      // No name of a component has a `$` in it (4.7.7).
      const key = isWhole ? name : `${name}$part`
      if (!seen.has(key)) waiting.push({ key, name, isWhole })
      seen.add(key)
      return `#/$defs/${key}`
    },
  }
  const json = toJson(root, translation)
  for (let next = waiting.pop(); next !== undefined; next = waiting.pop()) {
    $defs[next.key] = toJson(components[next.name] ?? {}, translation, next.isWhole)
  }
  return { ...json, $defs }
}

/** `open`: any property is as good as any other; `silent`: nothing is said of properties. */
type Scope = 'closed' | 'open' | 'silent'

/** Whether a schema, with all its parts, says which properties an object has. */
function describesAll(schema: OpenApiSchema, components: Components, depth = 0): Scope {
  if (depth > MAX_DEPTH) return 'open'
  const scopeOf = (part: OpenApiSchema) => describesAll(part, components, depth + 1)
  if (schema.$ref !== undefined) return scopeOf(components[componentName(schema.$ref)] ?? {})
  const alternatives = [schema.anyOf, schema.oneOf].map((parts) => scopeOfChoice(parts, scopeOf))
  if (alternatives.includes('open')) return 'open'
  const parts = (schema.allOf ?? []).map(scopeOf)
  const isClosed = [...alternatives, ...parts].includes('closed') || schema.properties !== undefined
  if (isClosed) return 'closed'
  const isObject = schema.type === 'object' || schema.type === undefined
  const isComposed = schema.allOf ?? schema.anyOf ?? schema.oneOf ?? schema.enum
  return isObject && isComposed === undefined ? 'open' : 'silent'
}

/** One alternative that takes any object is enough. */
function scopeOfChoice(
  parts: readonly OpenApiSchema[] | undefined,
  scopeOf: (part: OpenApiSchema) => Scope,
): Scope {
  const scopes = parts?.map(scopeOf) ?? []
  if (scopes.includes('open')) return 'open'
  return scopes.includes('closed') ? 'closed' : 'silent'
}
