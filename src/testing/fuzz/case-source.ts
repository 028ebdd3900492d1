import type { DocumentedOperation } from '../../app/contract/documented-by-route.js'
import type { OpenApiSchema } from '../../contracts/openapi.js'
import { createOpenApiCompiler } from '../../schema/openapi-validator.js'
import { type BodyType, bodyTypesOf } from './body-types.js'
import { createWriter, type WriteRequest } from './wire-request.js'

/** Whether a value matches a schema. A schema that does not compile accepts every value. */
export type Accepts = (schema: OpenApiSchema, value: unknown) => boolean

/** The sources from which requests to one operation are generated. */
export interface CaseSource {
  readonly documented: DocumentedOperation
  readonly accepts: Accepts
  readonly write: WriteRequest
  /** The type of the body; `null` if there is none. */
  readonly body: BodyType | null
  /** Headers set by the test. No values are generated for them. */
  readonly given: ReadonlyMap<string, string>
}

/** @param body The type of the body. Default: JSON, otherwise the first type. */
export function createSource(
  documented: DocumentedOperation,
  given: ReadonlyMap<string, string>,
  body: BodyType | null = bodyTypesOf(documented)[0] ?? null,
): CaseSource {
  const { document, name, operation } = documented
  const accepts = createAccepts(document.components.schemas)
  const write = createWriter(name, operation, body)
  const { headers } = documented
  if (Object.keys(headers).length === 0) return { documented, accepts, write, given, body }
  return {
    documented,
    accepts,
    write: (...parts) => {
      const request = write(...parts)
      return { ...request, headers: { ...headers, ...request.headers } }
    },
    given: new Map([...given, ...Object.entries(headers)]),
    body,
  }
}

/**
 * Whether a string is valid in at least one interpretation. All are tried, because the document does not specify how
 * strings are parsed as numbers and lists.
 */
export function isReadable(
  { schema }: { readonly schema: OpenApiSchema },
  text: string,
  accepts: Accepts,
): boolean {
  const readings: unknown[] = [text, Number(text), ...(text === 'x' ? [] : [true, null])]
  return readings.some((value) => accepts(schema, value) || accepts(schema, [value]))
}

function createAccepts(schemas: Readonly<Record<string, OpenApiSchema>> = {}): Accepts {
  const definitions = Object.entries(schemas).map(([name, schema]) => ({
    name,
    isNamed: true,
    schema,
  }))
  const compile = createOpenApiCompiler(definitions)
  const compiled = new Map<OpenApiSchema, (value: unknown) => boolean>()
  return function accepts(schema, value) {
    let test = compiled.get(schema)
    if (test === undefined) {
      try {
        test = compile(schema)
      } catch {
        test = () => true
      }
      compiled.set(schema, test)
    }
    return test(value)
  }
}
