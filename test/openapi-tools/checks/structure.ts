import SwaggerParser from '@apidevtools/swagger-parser'
import { validate as validateByReadme } from '@readme/openapi-parser'
import { createConfig, lintFromString } from '@redocly/openapi-core'
import { Validator } from '@seriousme/openapi-schema-validator'
import spectral from '@stoplight/spectral-core'
import rulesets from '@stoplight/spectral-rulesets'
import type { OpenApiDocument } from 'blazon'
import { withoutPrototypeNames } from './prototype-names.js'

/** Reads a document, and says what it finds wrong; an empty list is praise. */
export type Check = (document: OpenApiDocument) => Promise<readonly string[]>

/** Validators of the document's structure, by name. */
export const STRUCTURE_CHECKS: Readonly<Record<string, Check>> = {
  seriousme,
  'swagger-parser': swaggerParser,
  '@readme/openapi-parser': readme,
  'redocly recommended-strict': redocly,
  'spectral oas': spectralOas,
}

// Each tool gets its own copy: most of them dereference or annotate what they are given.
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
    .filter((problem) => !asksForSuccessOf(redirections(document), problem))
}

/** Where, as Redocly writes it, an operation only ever sends elsewhere. */
function redirections(document: OpenApiDocument): string[] {
  return Object.entries(document.paths).flatMap(([path, item]) =>
    Object.entries(item)
      .filter(([, { responses }]) => Object.keys(responses).some((status) => /^3/.test(status)))
      .map(([method]) => `#/paths/${path.replaceAll('/', '~1')}/${method}/responses`),
  )
}

/** To say that a redirection has a 2XX would satisfy the rule, and be a lie. */
function asksForSuccessOf(places: readonly string[], problem: string): boolean {
  const isAsked = problem.startsWith('operation-2xx-response:')
  return isAsked && places.some((place) => problem.endsWith(` at ${place}`))
}

/** Rules of Spectral that ask for what only an application's author can write. */
const OF_AUTHORS = new Set([
  // All three are off by default. A parameter has the description of its schema, if that has one;
  'oas3-parameter-description',
  // the order of tags is what authors choose it to be;
  'openapi-tags-alphabetical',
  // and they may group a class under several.
  'operation-singular-tag',
])

/** `oas` with every rule on, those that are off by default too. */
async function spectralOas(document: OpenApiDocument): Promise<string[]> {
  const linter = new spectral.Spectral()
  linter.setRuleset({ extends: [[rulesets.oas, 'all']] } as never)
  const results = await linter.run(JSON.stringify(withoutPrototypeNames(document)))
  return results
    .filter(({ code }) => !OF_AUTHORS.has(String(code)))
    .map(({ code, message, path }) => `${code}: ${message} at ${path.join('.')}`)
}
