import type { OpenApiSchema } from '../../contracts/openapi.js'
import type { RouteModel } from '../../contracts/route-model.js'
import type { ErrorFormat } from '../../contracts/wire-format.js'
import { errorWireOf } from '../../errors/error-wire.js'
import { ERROR_BODIES } from '../../openapi/envelopes.js'
import { describeOnce } from '../../schema/describe-schema.js'
import { essenceOf } from '../../schema/response-shape.js'
import { createResponseCompiler, type FindMismatches } from '../../schema/response-validator.js'
import type { Settings } from '../settings/settings.js'

const JSON_TYPE = 'application/json'
const PROBLEM = 'application/problem+json'

type Compile = (schema: OpenApiSchema) => FindMismatches

/** The bodies that errors of an operation have, whether the document lists their status or not. */
export interface ExpectedErrors {
  /** Their media types, without parameters. */
  readonly types: readonly string[]
  /** Whether they have a format of the application, in place of the framework's. */
  readonly isOwn: boolean
  /** The status of requests that a schema rejects. */
  readonly validationStatus: number
  /**
   * Returns the check of a body; `undefined` for a media type that no error has.
   *
   * @param compile Compiles the framework's own schemas.
   */
  readonly find: (type: string, compile: Compile) => FindMismatches | undefined
}

/** Returns the bodies that errors of a route have. */
export function expectedErrors(
  route: RouteModel,
  { errors, converters }: Pick<Settings, 'errors' | 'converters'>,
): ExpectedErrors {
  const { validationStatus } = errors
  const wire = errorWireOf(route, errors.wire)
  const [envelope, problem] = ERROR_BODIES
  if (typeof wire !== 'object') {
    const schemas: Record<string, OpenApiSchema> =
      wire === 'problem' ? { [PROBLEM]: problem } : { [JSON_TYPE]: envelope, [PROBLEM]: problem }
    const find = (type: string, compile: Compile) => {
      // Under negotiation, any other JSON type is compared with the envelope: the difference is then a mismatch.
      const schema = schemas[type] ?? schemas[JSON_TYPE]
      return schema && compile(schema)
    }
    return { types: Object.keys(schemas), isOwn: false, validationStatus, find }
  }
  const type = essenceOf(wire.mediaType ?? JSON_TYPE)
  const check = checkOf(wire, converters)
  const find = (sent: string) => (sent === type ? check() : undefined)
  return { types: [type], isOwn: true, validationStatus, find }
}

/** Compiles the schema of a format at the first error: the document may have other names for its parts. */
function checkOf(
  { schema }: ErrorFormat,
  converters: Pick<Settings, 'errors' | 'converters'>['converters'],
): () => FindMismatches {
  let check: FindMismatches | undefined
  return () => {
    if (check !== undefined) return check
    const { schema: described, definitions } = describeOnce(schema, { side: 'output', converters })
    const components = Object.fromEntries(definitions.map(({ name, schema: each }) => [name, each]))
    check = createResponseCompiler(components)(described)
    return check
  }
}
