import type {
  OpenApiDocument,
  OpenApiMediaType,
  OpenApiParameter,
} from '../../contracts/openapi-3-0.js'
import type { ListedOperation } from './list-operations.js'
import { resolveSchema } from './resolve-reference.js'
import { sampleValue } from './sample-value.js'

/**
 * Returns a command for a POSIX shell that sends a request for the operation, with samples for the required
 * values.
 *
 * @param server The URL before the paths of the document, without a slash at the end.
 */
export function curlCommand(
  listed: ListedOperation,
  document: OpenApiDocument,
  server: string,
): string {
  const { method, operation, schemes } = listed
  const needed = (operation.parameters ?? []).filter(
    ({ required, example }) => required === true || example !== undefined,
  )
  const samples = needed.map((parameter) => ({ parameter, value: sampleOf(parameter, document) }))
  const target = server + fillPath(listed.path, samples) + queryOf(samples)
  const headers = samples
    .filter(({ parameter }) => parameter.in === 'header')
    .map(({ parameter, value }) => `-H ${quote(`${parameter.name}: ${plain(value)}`)}`)
  const verb =
    method === 'get' ? [] : method === 'head' ? ['--head'] : [`-X ${method.toUpperCase()}`]
  const parts = [
    ['curl', ...verb, quote(target)].join(' '),
    ...(schemes.length > 0 ? credentialsOf(listed, document) : []),
    ...headers,
    ...bodyOf(operation.requestBody?.content ?? {}, document),
  ]
  return parts.join(' \\\n  ')
}

/** The credentials of the first alternative. */
function credentialsOf({ operation }: ListedOperation, document: OpenApiDocument): string[] {
  const [first = {}] = operation.security ?? document.security ?? []
  const schemes = document.components.securitySchemes ?? {}
  return Object.keys(first).map((name) => {
    const { type, scheme, in: place, name: key } = schemes[name] ?? { type: 'http' }
    if (type === 'apiKey' && place === 'header') return `-H ${quote(`${key}: `)}"$KEY"`
    if (type === 'apiKey' && place === 'cookie') return `-b ${quote(`${key}=`)}"$COOKIE"`
    if (type === 'apiKey') return `--url-query ${quote(`${key}=`)}"$KEY"`
    if (type === 'mutualTLS') return '--cert "$CERTIFICATE"'
    if (scheme?.toLowerCase() === 'basic') return '-u "$USER:$PASSWORD"'
    return '-H "Authorization: Bearer $TOKEN"'
  })
}

interface Sample {
  readonly parameter: OpenApiParameter
  readonly value: unknown
}

function sampleOf({ example, schema }: OpenApiParameter, document: OpenApiDocument): unknown {
  return example ?? sampleValue(schema, document) ?? null
}

function fillPath(path: string, samples: readonly Sample[]): string {
  return path.replace(/\{([^}]+)\}/g, (_, name: string) => {
    const sample = samples.find(
      ({ parameter }) => parameter.in === 'path' && parameter.name === name,
    )
    return encodeURIComponent(plain(sample?.value ?? name))
  })
}

function queryOf(samples: readonly Sample[]): string {
  const query = new URLSearchParams()
  for (const { parameter, value } of samples) {
    if (parameter.in !== 'query') continue
    const { name } = parameter
    if (Array.isArray(value) && parameter.explode !== false) {
      for (const item of value) query.append(name, plain(item))
    } else if (parameter.style === 'deepObject' && typeof value === 'object' && value !== null) {
      for (const [key, item] of Object.entries(value)) query.append(`${name}[${key}]`, plain(item))
    } else {
      query.append(name, Array.isArray(value) ? value.map(plain).join(',') : plain(value))
    }
  }
  return query.size === 0 ? '' : `?${query}`
}

function bodyOf(
  content: Readonly<Record<string, OpenApiMediaType>>,
  document: OpenApiDocument,
): string[] {
  const [entry] = Object.entries(content)
  if (entry === undefined) return []
  const [type, media] = entry
  const sample = media.example ?? sampleValue(media.schema, document) ?? null
  if (type === 'multipart/form-data') return formOf(media, sample, document)
  const text = /json/i.test(type) ? JSON.stringify(sample, null, 2) : plain(sample)
  return [`-H ${quote(`Content-Type: ${type}`)}`, `--data-raw ${quote(text)}`]
}

function formOf(media: OpenApiMediaType, sample: unknown, document: OpenApiDocument): string[] {
  const properties = resolveSchema(media.schema, document)?.properties ?? {}
  return Object.entries(properties).map(([name, property]) => {
    const schema = resolveSchema(property, document)
    const isFile = schema?.format === 'binary' || schema?.items?.format === 'binary'
    const value = (sample as Record<string, unknown> | null)?.[name]
    // `-F` reads a file when the text begins with `@` or `<`.
    return isFile
      ? `-F ${quote(`${name}=@file`)}`
      : `--form-string ${quote(`${name}=${plain(value)}`)}`
  })
}

function plain(value: unknown): string {
  return typeof value === 'object' && value !== null ? JSON.stringify(value) : String(value)
}

/** Quotes text for a shell. Between single quotes, every character except the quote itself is literal. */
function quote(text: string): string {
  return `'${text.replaceAll("'", "'\\''")}'`
}
