import type { Plugin } from '../contracts/plugin.js'
import type { RouteModel } from '../contracts/route-model.js'
import type { FieldError, Schema } from '../contracts/schema.js'
import { HttpError } from '../errors/http-error.js'
import type { BlazonRequest } from '../http/request.js'
import type { OnFailure } from './compose-error-middlewares.js'
import { type Declares, genericErrors, limitErrors } from './field-errors.js'

/** The input of {@link explainErrors}. */
export interface ExplainConfig {
  readonly plugins: readonly Plugin[]
  /**
   * Returns the function that checks whether a schema declares a name. Errors must not repeat other names from the
   * request. The result is `null` if errors are allowed to repeat any name.
   */
  readonly declaresOf: (schema: Schema) => Declares | null
  /** The status of `VALIDATION_FAILED` errors. */
  readonly validationStatus: number
}

/** Calls plugins to convert errors into HTTP errors for the client, before the errors are handled in any other way. */
export function explainErrors(config: ExplainConfig, onError: OnFailure): OnFailure {
  const explainers = config.plugins.filter(({ explain }) => explain !== undefined)
  if (explainers.length === 0) return onError
  function explain(error: unknown, req: BlazonRequest): unknown {
    if (HttpError.is(error)) return error
    for (const plugin of explainers) {
      const meaning = attempt(() => {
        const explained: unknown = plugin.explain?.(error, req)
        return HttpError.is(explained) ? presentable(explained, req, config) : undefined
      })
      if (meaning !== undefined) return meaning
    }
    return error
  }
  return function onExplained(error, req, res, origin) {
    onError(explain(error, req), req, res, origin)
  }
}

function attempt<T>(run: () => T): T | undefined {
  try {
    return run()
  } catch {
    return undefined
  }
}

/** Limits the field errors from a plugin, and sets their status, in the same way as for field errors from a schema. */
function presentable(
  meaning: HttpError,
  req: BlazonRequest,
  { declaresOf, validationStatus }: ExplainConfig,
): HttpError {
  const { message, code, errors, headers, expose, cause } = meaning
  if (errors === undefined) return meaning
  const shown = errors.flatMap((error) => {
    const declares = declaresOfPart(error, req.route, declaresOf)
    if (declares === null) return [error]
    const issue = { path: error.path.split('.'), message: error.message }
    return genericErrors([issue], { source: error.in, value: req[error.in], declares })
  })
  const isRejected = code === 'VALIDATION_FAILED' && meaning.status === 400
  const status = isRejected ? validationStatus : meaning.status
  const options = { code, errors: limitErrors(shown), expose, cause }
  return new HttpError(status, message, headers === undefined ? options : { ...options, headers })
}

function declaresOfPart(
  { in: source }: FieldError,
  route: Partial<RouteModel> | undefined,
  declaresOf: ExplainConfig['declaresOf'],
): Declares | null {
  // An Express router sets `req.route` to its own route, which has no schemas.
  const schema = route?.inputs?.[source] ?? {}
  return declaresOf(schema)
}
