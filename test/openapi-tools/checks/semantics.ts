import { Ajv2020 } from 'ajv/dist/2020.js'
import type { OpenApiDocument } from 'blazon'
import { type KindName, walkDocument } from './walk-document.js'

/**
 * Problems that validators accept and the version of OpenAPI does not allow: `#` as a reference, keys of another
 * version, `nullable` without a type, schemas that JSON Schema 2020-12 does not allow. Also broken promises of the
 * framework: a fixed order, and no unused parts.
 */
export function semanticProblems(document: OpenApiDocument): string[] {
  return [
    ...walkDocument(document).flatMap(({ problems }) => problems),
    ...referenceProblems(document),
    ...(document.openapi === '3.0.3' ? nullableProblems(document) : schemaProblems(document)),
    ...operationProblems(document),
    ...orderProblems(document),
    ...tagProblems(document),
  ]
}

type Json = Readonly<Record<string, unknown>>

/** Objects of some kinds, with their places. */
function objectsOf(document: OpenApiDocument, ...kinds: KindName[]) {
  return walkDocument(document).filter(({ kind }) => kinds.includes(kind))
}

const COMPONENT = /^#\/components\/(schemas|responses|headers|securitySchemes)\/([A-Za-z0-9._-]+)$/

function referenceProblems(document: OpenApiDocument): string[] {
  const problems: string[] = []
  const used = new Set<string>()
  const components = document.components as Readonly<Record<string, Json | undefined>>
  for (const { value, path } of objectsOf(document, 'Reference')) {
    const target = String(value['$ref'])
    const [, section = '', name = ''] = COMPONENT.exec(target) ?? []
    used.add(`${section}/${name}`)
    if (section === '') problems.push(`${path}: $ref '${target}' is not '#/components/…'`)
    else if (components[section]?.[name] === undefined)
      problems.push(`${path}: $ref '${target}' has no target`)
  }
  for (const requirement of objectsOf(document, 'SecurityRequirement')) {
    for (const name of Object.keys(requirement.value)) {
      used.add(`securitySchemes/${name}`)
      if (components['securitySchemes']?.[name] === undefined)
        problems.push(`${requirement.path}: there is no security scheme '${name}'`)
    }
  }
  for (const [section, entries] of Object.entries(components)) {
    for (const name of Object.keys(entries ?? {})) {
      if (!/^[A-Za-z0-9._-]+$/.test(name)) problems.push(`components.${section}: name '${name}'`)
      // The document has the scheme of a configured guard, even if no route needs it.
      if (section !== 'securitySchemes' && !used.has(`${section}/${name}`))
        problems.push(`components.${section}.${name} is not used`)
    }
  }
  return problems
}

/** The encodings of `null` that all consumers understand; see the table of the converter. */
function nullableProblems(document: OpenApiDocument): string[] {
  return objectsOf(document, 'Schema').flatMap(({ value, path }) => {
    if (value['nullable'] === undefined) return []
    const problems: string[] = []
    if (value['type'] === undefined) problems.push(`${path}: nullable without type`)
    if (value['allOf'] !== undefined) problems.push(`${path}: nullable beside allOf`)
    const members = value['enum'] as readonly unknown[] | undefined
    if (value['nullable'] === true && members !== undefined && !members.includes(null))
      problems.push(`${path}: nullable enum without null`)
    return problems
  })
}

const ajv = new Ajv2020({ strict: false })

/** Schemas that are wrong by the schema of JSON Schema 2020-12. The one of OpenAPI allows any object in their place. */
function schemaProblems(document: OpenApiDocument): string[] {
  const isInside = new Set<unknown>()
  return objectsOf(document, 'Schema').flatMap(({ value, path }) => {
    // A schema is checked with all schemas inside it.
    if (isInside.has(value)) return []
    JSON.stringify(value, (_, each) => isInside.add(each) && each)
    if (ajv.validateSchema(value) === true) return []
    return (ajv.errors ?? []).map((error) => `${path}${error.instancePath}: ${error.message}`)
  })
}

function operationProblems(document: OpenApiDocument): string[] {
  const problems: string[] = []
  const ids = new Set<string>()
  for (const { value, path, keys } of objectsOf(document, 'Operation')) {
    const id = value['operationId']
    if (typeof id !== 'string' || !/^[A-Za-z0-9_-]+$/.test(id))
      problems.push(`${path}: operationId '${id}'`)
    else if (ids.has(id)) problems.push(`${path}: operationId '${id}' is taken`)
    ids.add(String(id))
    problems.push(...parameterProblems(value, path, String(keys[1])))
    const method = String(keys[2])
    if (value['requestBody'] !== undefined && ['get', 'head', 'delete'].includes(method))
      problems.push(`${path}: a body on ${method}`)
    // As for Redocly's rule `security-defined`, a missing `security` is not the same as `[]`.
    if (value['security'] === undefined && document.security === undefined)
      problems.push(`${path}: no security`)
  }
  return problems
}

function parameterProblems(operation: Json, path: string, template: string): string[] {
  const problems: string[] = []
  const parameters = (operation['parameters'] ?? []) as readonly Json[]
  const inTemplate = [...template.matchAll(/\{([^}]+)\}/g)].map(([, name]) => name)
  const declared = parameters.filter((one) => one['in'] === 'path').map((one) => one['name'])
  if (JSON.stringify([...inTemplate].sort()) !== JSON.stringify([...declared].sort()))
    problems.push(`${path}: path parameters ${declared} of ${template}`)
  if (/[:*]/.test(template)) problems.push(`${path}: ${template} is not a template of OpenAPI`)
  const seen = new Set<string>()
  for (const { name, in: place, required } of parameters as readonly Json[]) {
    const key = `${place} ${String(name).toLowerCase()}`
    if (seen.has(key)) problems.push(`${path}: parameter ${key} twice`)
    seen.add(key)
    if (place === 'path' && required !== true) problems.push(`${path}: ${key} is not required`)
    if (place === 'header' && /^(accept|content-type|authorization)$/i.test(String(name)))
      problems.push(`${path}: ${key} has no meaning`)
  }
  return problems
}

const METHODS = ['get', 'put', 'post', 'delete', 'options', 'head', 'patch', 'trace']

/** Orders by which equal documents have equal bytes. */
function orderProblems(document: OpenApiDocument): string[] {
  const problems: string[] = []
  const inOrder = (path: string, keys: readonly string[], ordered: readonly string[]) => {
    if (keys.join() !== ordered.join()) problems.push(`${path}: order ${keys.join(', ')}`)
  }
  const sorted = (keys: readonly string[]) => [...keys].sort()
  inOrder('paths', Object.keys(document.paths), sorted(Object.keys(document.paths)))
  for (const [section, entries] of Object.entries(document.components)) {
    const names = Object.keys(entries)
    inOrder(`components.${section}`, names, sorted(names))
  }
  const orders = new Map<string, string>()
  for (const [path, item] of Object.entries(document.paths)) {
    const methods = Object.keys(item as object)
    const known = methods.filter((method) => METHODS.includes(method))
    if (known.length !== methods.length) problems.push(`${path}: ${methods}`)
    // All paths must have the same order of methods.
    for (const [index, first] of methods.entries()) {
      for (const second of methods.slice(index + 1)) {
        orders.set(`${first} ${second}`, path)
        if (orders.has(`${second} ${first}`)) problems.push(`${path}: order ${methods}`)
      }
    }
  }
  for (const { value, path } of objectsOf(document, 'Responses')) {
    // JavaScript puts keys that are integers first: `2XX` comes after `503`.
    inOrder(path, Object.keys(value), Object.keys(Object.fromEntries(Object.entries(value).sort())))
  }
  return problems
}

function tagProblems(document: OpenApiDocument): string[] {
  const declared = document.tags.map(({ name }) => name)
  const used = new Set(
    objectsOf(document, 'Operation').flatMap(({ value }) => value['tags'] as readonly string[]),
  )
  return [
    ...[...used].filter((tag) => !declared.includes(tag)).map((tag) => `tag ${tag} is unknown`),
    ...declared.filter((tag) => !used.has(tag)).map((tag) => `tag ${tag} is not used`),
    ...(new Set(declared).size < declared.length ? [`tags ${declared} repeat`] : []),
  ]
}
