import SwaggerParser from '@apidevtools/swagger-parser'
import { validate as validateByReadme } from '@readme/openapi-parser'
import { createConfig, lintFromString } from '@redocly/openapi-core'
import { Validator } from '@seriousme/openapi-schema-validator'
import spectral from '@stoplight/spectral-core'
import rulesets from '@stoplight/spectral-rulesets'
import type { OpenApiDocument } from 'blazon'
import { withoutPrototypeNames } from './prototype-names.js'

/** Reads a document, and returns its problems. */
export type Check = (document: OpenApiDocument) => Promise<readonly string[]>

/** Versions that a validator refuses as a whole, with its message. */
const UNREAD: Readonly<Record<string, RegExp>> = {
  'swagger-parser': /^SyntaxError: Unsupported OpenAPI version: 3\.2\.0/,
  '@readme/openapi-parser': /^TypeError: OpenAPI 3\.2 is currently unsupported/,
}

/** Whether a problem says that the validator does not know the version of the document yet. */
export function isUnread(name: string, problem: string): boolean {
  return UNREAD[name]?.test(problem) === true
}

/** Validators of the document's structure, by name. */
export const STRUCTURE_CHECKS: Readonly<Record<string, Check>> = {
  seriousme,
  'swagger-parser': swaggerParser,
  '@readme/openapi-parser': readme,
  'redocly recommended-strict': redocly,
  'spectral oas': spectralOas,
}

// Each tool gets its own copy, because most of them change the document.
const copyOf = <T>(value: T): T => structuredClone(value)

async function seriousme(document: OpenApiDocument): Promise<string[]> {
  const { valid, errors } = await new Validator().validate(copyOf(document) as never)
  if (valid) return []
  return Array.isArray(errors) ? errors.map((error) => JSON.stringify(error)) : [String(errors)]
}

async function swaggerParser(document: OpenApiDocument): Promise<string[]> {
  try {
    await SwaggerParser.validate(copyOf(document) as never, {
      resolve: { external: false },
      validate: { schema: true, spec: true },
    })
    return []
  } catch (error) {
    return [String(error)]
  }
}

async function readme(document: OpenApiDocument): Promise<string[]> {
  try {
    const result = await validateByReadme(copyOf(document) as never)
    const errors = result.valid ? [] : result.errors
    return [...errors, ...result.warnings].map(({ message }) => message)
  } catch (error) {
    return [String(error)]
  }
}

async function redocly(document: OpenApiDocument): Promise<string[]> {
  const config = await createConfig({ extends: ['recommended-strict'] })
  const source = JSON.stringify(withoutPrototypeNames(document))
  const problems = await lintFromString({ source, absoluteRef: 'openapi.json', config })
  return problems
    .map(({ ruleId, message, location }) => `${ruleId}: ${message} at ${location[0]?.pointer}`)
    .filter((problem) => !isMissingSuccessOf(redirections(document), problem))
}

/** The places of operations that only redirect, as Redocly writes them. */
function redirections(document: OpenApiDocument): string[] {
  return Object.entries(document.paths).flatMap(([path, item]) =>
    Object.entries(item)
      .filter(([, { responses }]) => Object.keys(responses).some((status) => /^3/.test(status)))
      .map(([method]) => `#/paths/${path.replaceAll('/', '~1')}/${method}/responses`),
  )
}

/** Whether a problem is the missing 2XX of a redirection. It has none, so the rule does not apply. */
function isMissingSuccessOf(places: readonly string[], problem: string): boolean {
  const isRule = problem.startsWith('operation-2xx-response:')
  return isRule && places.some((place) => problem.endsWith(` at ${place}`))
}

/** Rules of Spectral that only the author of an application can satisfy. All three are off by default. */
const OF_AUTHORS = new Set([
  // A parameter has the description of its schema, if the schema has one.
  'oas3-parameter-description',
  // Authors choose the order of tags.
  'openapi-tags-alphabetical',
  // Authors may give a class several tags.
  'operation-singular-tag',
])

/**
 * Rules that Spectral applies to all versions, although only 3.0 has them. From JSON Schema 2020-12 on, a list needs no
 * `items`, and `items` may be `false`.
 */
const OF_3_0 = new Set(['array-items'])

/** `oas` with all rules, also those that are off by default. */
async function spectralOas(document: OpenApiDocument): Promise<string[]> {
  const linter = new spectral.Spectral()
  linter.setRuleset({ extends: [[rulesets.oas, 'all']] } as never)
  const results = await linter.run(JSON.stringify(withoutPrototypeNames(document)))
  return results
    .filter(({ code }) => !OF_AUTHORS.has(String(code)))
    .filter(({ code }) => document.openapi === '3.0.3' || !OF_3_0.has(String(code)))
    .map(({ code, message, path }) => `${code}: ${message} at ${path.join('.')}`)
}
