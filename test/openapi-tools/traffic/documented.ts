import type { OpenApiDocument } from 'blazon'
import type { OpenApiHeader, OpenApiOperation, OpenApiResponse } from 'blazon/plugin'
import type { Answer, Exchange } from './exchange.js'

type Target = Pick<Exchange, 'method' | 'path'>

/** The path of a document for a request. Static segments have priority over parameters. */
export function templateOf(document: OpenApiDocument, { path }: Target): string | undefined {
  const { pathname } = new URL(path, 'http://localhost')
  const templates = Object.keys(document.paths).filter((template) =>
    new RegExp(`^${template.replace(/\{[^}]+\}/g, '[^/]+')}$`).test(pathname),
  )
  return templates.sort((a, b) => a.split('{').length - b.split('{').length)[0]
}

function operationOf(document: OpenApiDocument, target: Target): OpenApiOperation | undefined {
  const item = document.paths[templateOf(document, target) ?? '']
  return (item as Readonly<Record<string, OpenApiOperation>>)?.[target.method.toLowerCase()]
}

/**
 * The differences between a response and its operation: a status, a type, a missing header. Other checks compare
 * bodies.
 */
export function undocumented(
  document: OpenApiDocument,
  exchange: Exchange,
  answer: Answer,
): string[] {
  const operation = operationOf(document, exchange)
  if (operation === undefined) return ['no such operation']
  const response = responseOf(document, operation, answer.status)
  if (response === undefined) return [`status ${answer.status} is not documented`]
  const types = Object.keys(response.content ?? {})
  const problems: string[] = []
  if (exchange.method !== 'HEAD') {
    if (answer.contentType === '' ? types.length > 0 : !types.includes(answer.contentType))
      problems.push(`type '${answer.contentType}', documented: '${types}'`)
  }
  for (const [name, described] of Object.entries(response.headers ?? {})) {
    const header = '$ref' in described ? headerAt(document, described.$ref) : described
    if (header?.required === true && answer.headers[name.toLowerCase()] === undefined)
      problems.push(`header ${name} is missing`)
  }
  return problems
}

function headerAt({ components }: OpenApiDocument, reference: string): OpenApiHeader | undefined {
  return components.headers?.[reference.slice('#/components/headers/'.length)]
}

function responseOf(
  document: OpenApiDocument,
  { responses }: OpenApiOperation,
  status: number,
): OpenApiResponse | undefined {
  const response = responses[String(status)] ?? responses[`${String(status)[0]}XX`]
  if (response === undefined || !('$ref' in response)) return response
  return document.components.responses?.[response.$ref.split('/').at(-1) ?? '']
}
