import type { ParameterDefinition } from '../contracts/extensions.js'
import type { Request } from '../contracts/handler.js'
import type { SchemaConverters } from '../contracts/openapi.js'
import type { RouteModel } from '../contracts/route-model.js'
import type { InputSource } from '../contracts/schema.js'
import type { KnownFailure } from '../errors/failure.js'
import { schemasOfBody } from '../schema/body-schemas.js'
import { headerReader } from '../schema/header-names.js'
import { type Hidden, hideIn, hideInUrl } from '../schema/hide-values.js'
import { SecretTexts } from '../schema/secret-texts.js'
import { findSecrets, type SecretSchema } from '../schema/secrets.js'

/** A route input that contains secrets. */
interface SecretInput {
  readonly source: InputSource
  readonly secrets: SecretSchema
  /** Reads headers whose names contain upper-case letters in the schema. */
  readonly headersOf: ReturnType<typeof headerReader>
  /** The parameter of `defineParameter` that the schema belongs to; `null` for all other inputs. */
  readonly definition: ParameterDefinition | null
}

const SOURCES: readonly InputSource[] = ['params', 'query', 'headers', 'cookies', 'body']
const NONE = new SecretTexts(new Set())

/** The request values that are secret according to the schemas. Log lines and errors never contain them. */
export class RequestSecrets {
  readonly #converters: SchemaConverters
  readonly #known = new WeakMap<RouteModel, readonly SecretInput[]>()
  /**
   * The secrets of each request. They are cached, because a log line, its URL and the response need the same secrets.
   */
  readonly #texts = new WeakMap<Request, SecretTexts>()
  #names: ReadonlySet<string> = new Set()

  /** @param converters The schema converters from the `swagger` option. */
  constructor(converters: SchemaConverters) {
    this.#converters = converters
  }

  /**
   * Reads the schemas of all routes and returns the names of secret fields. {@link RequestSecrets.hide} then also
   * removes fields by name. Only an application that uses the framework's own logger needs this. In other applications,
   * a route's schemas are read when a request to the route first fails.
   */
  readNames(routes: readonly RouteModel[]): ReadonlySet<string> {
    const names = routes.flatMap((route) =>
      this.#inputsOf(route).flatMap(({ secrets }) => [...secrets.names]),
    )
    this.#names = new Set(names.map((name) => name.toLowerCase()))
    return this.#names
  }

  /**
   * Returns a value for the log, without the request's secrets and without the values of fields whose names are secret.
   */
  readonly hide = <T>(value: T, req: Request | undefined): T => hideIn(value, this.#hiddenOf(req))

  /** Returns a request's URL without the request's secrets. */
  readonly hideInUrl = (url: string, req: Request): string => hideInUrl(url, this.#hiddenOf(req))

  /** Returns a failure without the request's secrets. */
  hideInFailure(failure: KnownFailure, req: Request): KnownFailure {
    const texts = this.#textsOf(req)
    if (texts.isEmpty) return failure
    return {
      ...failure,
      message: texts.hideIn(failure.message),
      errors: failure.errors?.map((error) => ({
        ...error,
        message: texts.hideIn(error.message),
      })),
    }
  }

  /** Returns a request's secrets together with other strings to hide. */
  hiddenWith(others: ReadonlySet<string>, req: Request): Hidden {
    const found = new Set(others)
    this.#collect(req, found)
    return { texts: found.size === 0 ? NONE : new SecretTexts(found), names: this.#names }
  }

  #hiddenOf(req: Request | undefined): Hidden {
    return { texts: this.#textsOf(req), names: this.#names }
  }

  #textsOf(req: Request | undefined): SecretTexts {
    if (req === undefined) return NONE
    const found = new Set<string>()
    this.#collect(req, found)
    const known = this.#texts.get(req) ?? NONE
    if (known.isOf(found)) return known
    const made = new SecretTexts(found)
    this.#texts.set(req, made)
    return made
  }

  #collect(req: Request, found: Set<string>): void {
    const route: unknown = req.route
    // The `route` of an Express router belongs to Express.
    if (!isOurs(route)) return
    for (const { source, secrets, headersOf, definition } of this.#inputsOf(route)) {
      secrets.collect(headersOf === null ? req[source] : headersOf(req.headers), found)
      secrets.collect(outputOf(req, source, definition), found)
    }
  }

  #inputsOf(route: RouteModel): readonly SecretInput[] {
    const known = this.#known.get(route)
    if (known !== undefined) return known
    const found: SecretInput[] = []
    const add = (
      source: InputSource | null,
      schema: RouteModel['inputs'][InputSource],
      definition: ParameterDefinition | null = null,
    ) => {
      const secrets = schema === null ? null : findSecrets(schema, this.#converters)
      if (secrets === null || source === null) return
      const headersOf = source === 'headers' ? headerReader(secrets.names) : null
      found.push({ source, secrets, headersOf, definition })
    }
    for (const source of SOURCES) add(source, route.inputs[source])
    for (const schema of schemasOfBody(route)) {
      if (schema !== route.inputs.body) add('body', schema)
    }
    for (const { source, input, definition } of route.definedParameters ?? []) {
      add(source, input, definition)
    }
    this.#known.set(route, found)
    return found
  }
}

/** Returns the output of a schema for a part of the request, or for the value of a parameter, under its name. */
function outputOf(
  req: Request,
  source: InputSource,
  definition: ParameterDefinition | null,
): unknown {
  if (definition === null) return req.validated?.[source]
  const { place, values } = definition
  return place === null ? undefined : { [place.name]: values.get(req) }
}

function isOurs(route: unknown): route is RouteModel {
  return typeof route === 'object' && route !== null && Object.hasOwn(route, 'controller')
}
