import type { Ajv2020 as Ajv } from 'ajv/dist/2020.js'
import type { OpenApiSchema } from '../contracts/openapi.js'
import { type Mismatch, toMismatches } from './mismatches.js'
import { componentName, type Json, toJson } from './openapi-to-json.js'
import { loadAjv } from './openapi-validator.js'

type Components = Readonly<Record<string, OpenApiSchema>>

/** Returns the places where a value does not match its schema; an empty list if it matches. */
export type FindMismatches = (value: unknown) => readonly Mismatch[]

/** The maximum depth of a chain of parts. A deeper chain counts as a cycle. */
const MAX_DEPTH = 20

/**
 * Compiled schemas, by their JSON. A test suite creates an application for each test, and Ajv needs several
 * milliseconds to compile a schema. Equal schemas accept the same values, so applications share the compiled schemas.
 */
const compiled = new Map<string, FindMismatches>()
const MAX_COMPILED = 2000
let ajv: Ajv | undefined

/**
 * Creates a compiler for the response schemas of a document. The check is stricter than OpenAPI: an object can have
 * only the described properties, unless `additionalProperties` allows more.
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

/**
 * Compiles a schema when the first value is checked. If the schema does not compile, for example because of an invalid
 * pattern or an infinite reference, every value is valid.
 */
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

/**
 * Returns the schema with a `$defs` that contains all components to which it refers. A component that is also a part of
 * a combination has a second definition, which is not closed.
 */
function closedSchema(root: OpenApiSchema, components: Components): Json {
  const $defs: Record<string, Json> = {}
  const waiting: { key: string; name: string; isWhole: boolean }[] = []
  const seen = new Set<string>()
  const translation = {
    isClosed: (schema: OpenApiSchema) => describesAll(schema, components) === 'closed',
    refTo(name: string, isWhole: boolean) {
      // Component names cannot contain `$` (OpenAPI 3.0.3, section 4.7.7), so they never equal this key.
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

/**
 * `closed`: only the described properties are allowed. `open`: any property is allowed. `silent`: the schema does not
 * describe properties.
 */
type Scope = 'closed' | 'open' | 'silent'

/** Determines whether a schema, including all its parts, restricts the properties of an object. */
function describesAll(schema: OpenApiSchema, components: Components, depth = 0): Scope {
  if (depth > MAX_DEPTH) return 'open'
  const scopeOf = (part: OpenApiSchema) => describesAll(part, components, depth + 1)
  if (schema.$ref !== undefined) return scopeOf(components[componentName(schema.$ref)] ?? {})
  const alternatives = [schema.anyOf, schema.oneOf].map((parts) => scopeOfChoice(parts, scopeOf))
  if (alternatives.includes('open')) return 'open'
  const parts = (schema.allOf ?? []).map(scopeOf)
  const isClosed = [...alternatives, ...parts].includes('closed') || schema.properties !== undefined
  if (isClosed) return 'closed'
  const isObject = schema.type === undefined || [schema.type].flat().includes('object')
  const isComposed = schema.allOf ?? schema.anyOf ?? schema.oneOf ?? schema.enum ?? schema.const
  return isObject && isComposed === undefined ? 'open' : 'silent'
}

/** Returns the scope of a union. A union is open if one of its alternatives is open. */
function scopeOfChoice(
  parts: readonly OpenApiSchema[] | undefined,
  scopeOf: (part: OpenApiSchema) => Scope,
): Scope {
  const scopes = parts?.map(scopeOf) ?? []
  if (scopes.includes('open')) return 'open'
  return scopes.includes('closed') ? 'closed' : 'silent'
}
