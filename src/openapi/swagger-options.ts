import type {
  OpenApiDocument,
  OpenApiInfo,
  OpenApiServer,
  OpenApiTag,
  SchemaConverter,
} from '../contracts/openapi.js'
import type { RouteModel } from '../contracts/route-model.js'
import { invalid, type Problem, shown } from '../errors/config-error.js'
import {
  type NestedNames,
  type OptionGroup,
  type OptionNames,
  unknownNames,
} from '../errors/option-group.js'
import { pathShape } from '../model/paths.js'
import { checkTagTree } from './check-tag-tree.js'

/** A supported version of OpenAPI. */
export type OpenApiVersion = '3.0' | '3.1' | '3.2'

/** The full version number in documents, by minor version. Patch versions do not change the format. */
export const PATCHES: Readonly<Record<OpenApiVersion, OpenApiDocument['openapi']>> = {
  '3.0': '3.0.3',
  '3.1': '3.1.2',
  '3.2': '3.2.0',
}

/** The `swagger` option: one OpenAPI document and its page. */
export interface SwaggerOptions {
  /**
   * The version of OpenAPI: `'3.0'` (3.0.3), `'3.1'` (3.1.2) or `'3.2'` (3.2.0). From 3.1 on, schemas are JSON Schema
   * 2020-12 as their library produces it.
   *
   * @defaultValue `'3.0'`
   * @see docs/openapi.md#versions-of-openapi
   */
  readonly openapi?: OpenApiVersion
  /**
   * Whether the page and the document are served. If routes are protected, set this option explicitly in production;
   * otherwise boot logs the warning `W_DOCS_EXPOSED`.
   *
   * @defaultValue `true`
   */
  readonly enabled?: boolean
  /**
   * The path of the page. The document is at `<path>.json` and `<path>.yaml`.
   *
   * @defaultValue `'/api-docs'`
   */
  readonly path?: string
  /**
   * `info.title`.
   *
   * @defaultValue `'API'`
   */
  readonly title?: string
  /**
   * `info.version`: the version of your API, not of the framework.
   *
   * @defaultValue `'1.0.0'`
   */
  readonly version?: string
  /**
   * `info.description`, in CommonMark.
   *
   * @defaultValue none
   */
  readonly description?: string
  /**
   * `info.termsOfService`, a URL.
   *
   * @defaultValue none
   */
  readonly termsOfService?: string
  /**
   * `info.contact`: `{ name, url, email }`.
   *
   * @defaultValue none
   */
  readonly contact?: OpenApiInfo['contact']
  /**
   * `info.license`: `{ name, url }`.
   *
   * @defaultValue none
   */
  readonly license?: OpenApiInfo['license']
  /**
   * The URLs at which the API is served, relative to the document: `{ url, description }[]`.
   *
   * @defaultValue the server that serves the document
   */
  readonly servers?: readonly OpenApiServer[]
  /**
   * Descriptions of tags, and their order: `{ name, description }[]`. Other tags follow in the order of their
   * controllers. With `openapi: '3.2'`, tags may also have `summary`, `parent` and `kind`.
   *
   * @defaultValue tags without descriptions, in the order of their controllers
   */
  readonly tags?: readonly OpenApiTag[]
  /**
   * The abilities that every reader of the document has. The document contains only the fields with `visibleTo` that
   * these readers may see. With `[]`, it contains no such field.
   *
   * @defaultValue none: the document contains the fields of all callers, and responses may lack fields with `visibleTo`
   * @see docs/visibility.md#one-document-for-each-audience
   */
  readonly audience?: string | readonly string[]
  /**
   * A function that selects the routes of the document: `(route) => boolean`.
   *
   * @defaultValue all routes without `@ApiHidden`
   */
  readonly include?: (route: RouteModel) => boolean
  /**
   * Converters for libraries that do not produce JSON Schema, by the `vendor` of their Standard Schema:
   * `{ [vendor]: (schema, { side, target }) => jsonSchema }`.
   *
   * @defaultValue none
   */
  readonly converters?: Readonly<Record<string, SchemaConverter>>
}

/** The resolved options of one document. */
export interface DocumentSettings extends Omit<SwaggerOptions, 'enabled' | 'audience'> {
  /** The abilities that all readers share; `null` if the readers differ. */
  readonly audience: readonly string[] | null
  readonly openapi: OpenApiVersion
  readonly isServed: boolean
  /** Whether the application sets `enabled` explicitly. */
  readonly isDecided: boolean
  /** The path of the page, with a leading slash and without a trailing slash. */
  readonly path: string
  readonly title: string
  readonly version: string
  /** The version of the API, if requests select it with a header. */
  readonly apiVersion?: NonNullable<OpenApiDocument['x-api-version']>
}

type Option = false | SwaggerOptions | readonly SwaggerOptions[] | undefined

/** The valid names in each object. OpenAPI objects can have extensions and fields from later versions. */
const CONTACT: OptionNames<NonNullable<OpenApiInfo['contact']>> & NestedNames = {
  name: true,
  url: true,
  email: true,
  'x-': true,
}
const LICENSE: NestedNames = { name: true, url: true, identifier: true, 'x-': true }
const SERVER: OptionNames<OpenApiServer> & NestedNames = {
  url: true,
  description: true,
  name: true,
  variables: true,
  'x-': true,
}
const TAG: OptionNames<OpenApiTag> & NestedNames = {
  name: true,
  description: true,
  summary: true,
  parent: true,
  kind: true,
  externalDocs: true,
  'x-': true,
}
const NAMES: OptionNames<SwaggerOptions> = {
  openapi: true,
  enabled: true,
  path: true,
  title: true,
  version: true,
  description: true,
  termsOfService: true,
  contact: CONTACT,
  license: LICENSE,
  servers: SERVER,
  tags: TAG,
  audience: true,
  include: 'sync',
  converters: { '*': 'sync' },
}
const PATH = '/api-docs'
const TITLE = 'API'
const VERSION = '1.0.0'
const TEXTS = ['title', 'version', 'description', 'termsOfService'] as const

/** The `swagger` option. */
export const swaggerGroup: OptionGroup<Option, readonly DocumentSettings[]> = {
  unknown: (swagger) => listOf(swagger).flatMap((each) => unknownNames('swagger.', each, NAMES)),
  check,
  resolve: (swagger) => Object.freeze(listOf(swagger).map(resolve)),
}

/** Returns the paths of a page and its two document files, normalized as in the router. */
export function docsUrls(path: string): string[] {
  return ['', '.json', '.yaml'].map((ending) => pathShape(path + ending))
}

/** Returns the documents in the option. `false` or an empty list results in one document that is not served. */
function listOf(swagger: Option = {}): readonly SwaggerOptions[] {
  if (swagger === false) return [{ enabled: false }]
  const list: readonly SwaggerOptions[] = Array.isArray(swagger) ? swagger : [swagger]
  return list.length > 0 ? list : [{ enabled: false }]
}

function resolve(options: SwaggerOptions): DocumentSettings {
  const { enabled, path = PATH, title = TITLE, version = VERSION, audience, ...rest } = options
  return Object.freeze({
    openapi: '3.0',
    ...rest,
    audience: audience === undefined ? null : [...new Set([audience].flat())].sort(),
    isServed: enabled !== false,
    isDecided: enabled !== undefined,
    path: `/${path.split('/').filter(Boolean).join('/')}`,
    title,
    version,
  })
}

function check(swagger: Option): Problem[] {
  if (swagger === undefined || swagger === false) return []
  if (typeof swagger !== 'object' || swagger === null) {
    return [
      invalid('swagger', `It is ${String(swagger)}.`, 'Pass { path, title, … }, a list, or false.'),
    ]
  }
  const list = listOf(swagger)
  const problems = list.flatMap((options, index) =>
    checkOne(Array.isArray(swagger) ? `swagger[${index}]` : 'swagger', options),
  )
  return problems.length > 0 ? problems : checkPaths(list.map(resolve))
}

function checkOne(subject: string, options: SwaggerOptions): Problem[] {
  if (typeof options !== 'object' || options === null) {
    return [invalid(subject, 'It is not an object.', 'Pass { path, title, … }.')]
  }
  const problems: Problem[] = []
  const { enabled, path, include, openapi = '3.0' } = options
  if (typeof openapi !== 'string' || !Object.hasOwn(PATCHES, openapi)) {
    const cause = `It is ${shown(openapi)}.`
    problems.push(invalid(`${subject}.openapi`, cause, "Pass '3.0', '3.1' or '3.2', as a string."))
  }
  if (enabled !== undefined && typeof enabled !== 'boolean') {
    problems.push(invalid(`${subject}.enabled`, 'It is not a boolean.', 'Pass true or false.'))
  }
  // The path needs a last segment, because without one, `<path>.json` would have no file name.
  if (path !== undefined && !(typeof path === 'string' && /^[\w/.~-]*[\w~-]\/*$/.test(path))) {
    const cause = `${String(path)} is not a valid path for a page. A path consists of letters, digits, '/', '.', '_', '~' and '-'; it is not the root and does not end with '.'.`
    problems.push(invalid(`${subject}.path`, cause, "Pass a path such as '/api-docs'."))
  }
  for (const name of TEXTS) {
    if (options[name] !== undefined && typeof options[name] !== 'string') {
      problems.push(invalid(`${subject}.${name}`, 'It is not a string.', 'Pass a string.'))
    }
  }
  problems.push(...checkList(`${subject}.servers`, options.servers, 'url'))
  problems.push(...checkList(`${subject}.tags`, options.tags, 'name'))
  problems.push(...checkTagTree(`${subject}.tags`, options))
  if (options.contact !== undefined && !isRecord(options.contact)) {
    problems.push(
      invalid(`${subject}.contact`, 'It is not an object.', 'Pass { name, url, email }.'),
    )
  }
  if (options.license !== undefined && !hasText(options.license, 'name')) {
    problems.push(invalid(`${subject}.license`, 'It has no name.', 'Pass { name, url }.'))
  }
  if (options.audience !== undefined && !isAbilities(options.audience)) {
    problems.push(
      invalid(
        `${subject}.audience`,
        'It is neither an ability nor a list of abilities.',
        "Pass 'payroll:read', a list of abilities, or [] for readers without abilities.",
      ),
    )
  }
  if (include !== undefined && typeof include !== 'function') {
    problems.push(
      invalid(`${subject}.include`, 'It is not a function.', 'Pass (route) => boolean.'),
    )
  }
  return problems
}

/** Whether a value is a non-empty string or a list of such strings. The list can be empty. */
function isAbilities(value: unknown): boolean {
  const list: readonly unknown[] = Array.isArray(value) ? value : [value]
  return list.every((each) => typeof each === 'string' && each !== '')
}

/** Checks a list of objects. Each object needs a string in the given field. Two tags cannot have the same `name`. */
function checkList(subject: string, list: unknown, key: string): Problem[] {
  if (list === undefined) return []
  if (!Array.isArray(list)) return [invalid(subject, 'It is not a list.', 'Pass an array.')]
  const seen = new Set<unknown>()
  return list.flatMap((each: unknown, index): Problem[] => {
    const place = `${subject}[${index}]`
    if (!hasText(each, key)) {
      return [invalid(place, `It has no ${key}.`, `Pass { ${key}: '…' }.`)]
    }
    if (key === 'name' && seen.has(each[key])) {
      return [invalid(place, 'Another entry has the same name.', 'Remove one of the entries.')]
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

function checkPaths(list: readonly DocumentSettings[]): Problem[] {
  const served = list.filter(({ isServed }) => isServed).flatMap(({ path }) => docsUrls(path))
  const twice = served.find((url, index) => served.indexOf(url) < index)
  if (twice === undefined) return []
  return [invalid('swagger', `Two documents are at ${twice}.`, 'Use a separate path for each.')]
}
