import type { SwaggerOptions } from '../contracts/openapi.js'
import type { AppModel } from '../contracts/route-model.js'
import type { Problem } from '../errors/config-error.js'
import { pathShape } from '../model/paths.js'
import type { AppOptions } from './options.js'

const DEFAULT_PATH = '/api-docs'
const TEXTS = ['title', 'version', 'description', 'termsOfService'] as const
const LISTS = { servers: 'url', tags: 'name' } as const

/** The documents that the `swagger` option asks for; `false` still has one, which is not served. */
export function swaggerList({ swagger = {} }: AppOptions): readonly SwaggerOptions[] {
  if (swagger === false) return [{ enabled: false }]
  const list: readonly SwaggerOptions[] = Array.isArray(swagger) ? swagger : [swagger]
  return list.length > 0 ? list : [{ enabled: false }]
}

/** Where the page of a document is: one slash in front, none at the end. */
export function docsPath({ path = DEFAULT_PATH }: SwaggerOptions): string {
  return `/${path.split('/').filter(Boolean).join('/')}`
}

/** What is wrong with the `swagger` option. */
export function checkSwagger(swagger: AppOptions['swagger']): Problem[] {
  if (swagger === undefined || swagger === false) return []
  if (typeof swagger !== 'object' || swagger === null) {
    return [
      invalid('swagger', `It is ${String(swagger)}.`, 'Give { path, title, … }, a list, or false.'),
    ]
  }
  const list = swaggerList({ swagger })
  const problems = list.flatMap((options, index) =>
    checkOne(Array.isArray(swagger) ? `swagger[${index}]` : 'swagger', options),
  )
  return problems.length > 0 ? problems : checkPaths(list)
}

function invalid(subject: string, cause: string, remedy: string): Problem {
  return { code: 'E_OPTION_INVALID', subject, cause, remedy }
}

function checkOne(subject: string, options: SwaggerOptions): Problem[] {
  if (typeof options !== 'object' || options === null) {
    return [invalid(subject, 'It is not an object.', 'Give { path, title, … }.')]
  }
  const problems: Problem[] = []
  const { enabled, path, include } = options
  if (enabled !== undefined && typeof enabled !== 'boolean') {
    problems.push(invalid(`${subject}.enabled`, 'It is neither true nor false.', 'Give a boolean.'))
  }
  // The page has a name below its parent; the root would leave none for `<path>.json`.
  if (path !== undefined && !(typeof path === 'string' && /^[\w/.~-]*[\w~-]\/*$/.test(path))) {
    const cause = `${String(path)} is not a path for a page: letters, digits, '/', '.', '_', '~' and '-' make one, and it is not the root.`
    problems.push(invalid(`${subject}.path`, cause, "Give a path like '/api-docs'."))
  }
  for (const name of TEXTS) {
    if (options[name] !== undefined && typeof options[name] !== 'string') {
      problems.push(invalid(`${subject}.${name}`, 'It is not a text.', 'Give a string.'))
    }
  }
  for (const [name, key] of Object.entries(LISTS)) {
    problems.push(...checkList(`${subject}.${name}`, options[name as keyof typeof LISTS], key))
  }
  if (options.contact !== undefined && !isRecord(options.contact)) {
    problems.push(
      invalid(`${subject}.contact`, 'It is not an object.', 'Give { name, url, email }.'),
    )
  }
  if (options.license !== undefined && !hasText(options.license, 'name')) {
    problems.push(invalid(`${subject}.license`, 'It has no name.', 'Give { name, url }.'))
  }
  if (include !== undefined && typeof include !== 'function') {
    problems.push(
      invalid(`${subject}.include`, 'It is not a function.', 'Give (route) => boolean.'),
    )
  }
  return problems
}

/** A list of objects, each with a text of its own under a key. */
function checkList(subject: string, list: unknown, key: string): Problem[] {
  if (list === undefined) return []
  if (!Array.isArray(list)) return [invalid(subject, 'It is not a list.', 'Give an array.')]
  const seen = new Set<unknown>()
  return list.flatMap((each: unknown, index): Problem[] => {
    const place = `${subject}[${index}]`
    if (!hasText(each, key)) {
      return [invalid(place, `It has no ${key}.`, `Give { ${key}: '…' }.`)]
    }
    if (key === 'name' && seen.has(each[key])) {
      return [invalid(place, 'Another one has its name.', 'Remove one of them.')]
    }
    seen.add(each[key])
    return []
  })
}

function isRecord(value: unknown): value is Readonly<Record<string, unknown>> {
  return typeof value === 'object' && value !== null
}

function hasText(value: unknown, key: string): value is Readonly<Record<string, unknown>> {
  return isRecord(value) && typeof value[key] === 'string' && value[key] !== ''
}

function checkPaths(list: readonly SwaggerOptions[]): Problem[] {
  const served = list
    .filter(({ enabled }) => enabled !== false)
    .flatMap((each) => urlsOf(docsPath(each)))
  const twice = served.find((url, index) => served.indexOf(url) < index)
  if (twice === undefined) return []
  return [invalid('swagger', `Two documents are at ${twice}.`, 'Give each a path of its own.')]
}

/** The page of a document, and the document itself, as the router tells paths apart. */
function urlsOf(path: string): string[] {
  return ['', '.json', '.yaml'].map((ending) => pathShape(path + ending))
}

/** In production, what only some may call is described to everybody: that should be somebody's decision. */
export function checkExposedDocs(options: AppOptions, { routes }: AppModel): Problem[] {
  if (process.env['NODE_ENV'] !== 'production') return []
  const undecided = swaggerList(options).filter(({ enabled }) => enabled === undefined)
  const hidden = routes.filter(({ isProtected, operation }) => isProtected && !operation.isHidden)
  if (undecided.length === 0 || hidden.length === 0) return []
  const [{ name } = { name: '' }] = hidden
  const others = hidden.length === 1 ? '' : ` and ${hidden.length - 1} more`
  return [
    {
      code: 'W_DOCS_EXPOSED',
      subject: 'swagger',
      cause: `In production, everybody can read the documentation of protected routes at ${undecided.map(docsPath).join(', ')}: ${name}${others}.`,
      remedy:
        "Set `swagger: { enabled: true }` if this is intended; otherwise `swagger: { enabled: false }`, or `enabled: process.env.NODE_ENV !== 'production'`.",
    },
  ]
}

/** Routes of the author's that stand where a document or its page is served. */
export function checkDocsRoutes(
  { routes }: AppModel,
  served: readonly { readonly path: string }[],
): Problem[] {
  const taken = new Set(served.flatMap(({ path }) => urlsOf(path)))
  return routes
    .filter(({ method, path }) => ['GET', 'ALL'].includes(method) && taken.has(pathShape(path)))
    .map(({ name, path }) => ({
      code: 'E_ROUTE_DUPLICATE',
      subject: name,
      cause: `GET ${path} is already handled by the documentation.`,
      remedy: 'Move the documentation, `swagger: { path }`, or switch it off, `swagger: false`.',
    }))
}
