import { readFileSync } from 'node:fs'
import { resolve } from 'node:path'
import { parse } from 'yaml'
import type { OpenApiDocument } from '../../contracts/openapi.js'
import { operationsIn } from '../../schema/path-item.js'
import { CliError } from '../cli-error.js'
import { messageOf } from '../message-of.js'

/**
 * The limit for YAML aliases, which can expand to something far larger than the file. Real documents have
 * fewer.
 */
const MAX_ALIASES = 1000

/**
 * Reads a document from a JSON or YAML file.
 *
 * @throws CliError when the file cannot be read, or is not an OpenAPI document of version 3.
 */
export function readDocument(path: string, cwd: string): OpenApiDocument {
  const file = resolve(cwd, path)
  const document = parseText(file, readText(file))
  const problem = problemOf(document)
  if (problem === null) return document as OpenApiDocument
  throw new CliError({
    status: 2,
    what: `${file} is not an OpenAPI document.`,
    cause: problem,
    remedy: 'Name a file that `blazon openapi export` wrote.',
  })
}

function readText(path: string): string {
  try {
    return readFileSync(path, 'utf8').replace(/^\uFEFF/, '')
  } catch (error) {
    throw new CliError({
      status: 2,
      what: `${path} cannot be read.`,
      cause: messageOf(error),
      remedy: 'Name a document to compare with, as `blazon openapi export` writes it.',
    })
  }
}

/**
 * Parses JSON first, although JSON is also YAML: `yaml` is many times slower, and its messages do not fit
 * JSON.
 */
function parseText(path: string, text: string): unknown {
  try {
    return /^\s*[{[]/.test(text) ? JSON.parse(text) : parse(text, { maxAliasCount: MAX_ALIASES })
  } catch (error) {
    throw new CliError({
      status: 2,
      what: `${path} is neither JSON nor YAML.`,
      cause: messageOf(error),
      remedy: 'Write it again with `blazon openapi export`.',
    })
  }
}

/** Why a value is not a document that can be compared; `null` when it is one. */
function problemOf(value: unknown): string | null {
  if (!isRecord(value)) return 'It is not an object.'
  if (typeof value['openapi'] !== 'string' || !value['openapi'].startsWith('3.')) {
    return `Its field openapi is ${JSON.stringify(value['openapi'])}; 3.0, 3.1 or 3.2 was expected.`
  }
  const { paths } = value
  if (!isRecord(paths)) return 'Its field paths is not an object.'
  for (const [path, item] of Object.entries(paths)) {
    if (!isRecord(item)) return `Its path ${path} is not an object.`
    for (const [method, operation] of Object.entries(operationsIn(item))) {
      const isOperation = /^(get|query|post|put|patch|delete|head|options)$/.test(method)
      if (isOperation && !(isRecord(operation) && isRecord(operation['responses']))) {
        return `Its operation ${method.toUpperCase()} ${path} has no responses.`
      }
    }
  }
  return null
}

function isRecord(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null && !Array.isArray(value)
}
