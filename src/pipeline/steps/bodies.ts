import type { Response } from '../../contracts/handler.js'
import type { BodyModel } from '../../contracts/inputs.js'
import type { FieldError } from '../../contracts/schema.js'
import type { HttpError } from '../../errors/http-error.js'
import { refuse } from '../../errors/refuse.js'
import {
  type BodyReader,
  bodyFinder,
  bodyReader,
  type FindBody,
  readBytes,
} from '../../http/body-reader.js'
import { hasBody } from '../../http/read-body.js'
import { type BodyLimits, emptyJson } from '../../http/read-json.js'
import type { BlazonRequest } from '../../http/request.js'
import { Refusal } from '../../step/refusal.js'
import type { Step, StepFactory } from '../../step/step.js'
import { type CompiledInput, type ValidateConfig, validateStage } from './validate.js'

/** The steps for a route whose `@Body` has options. */
export interface BodyStages {
  readonly body: StepFactory
  readonly validate: StepFactory
}

/** The input of {@link bodyStages}. */
export interface BodiesConfig extends ValidateConfig {
  readonly bodies: readonly BodyModel[]
  /** Verifies the bytes of a webhook before they are parsed; `null` without `@Webhook`. */
  readonly verify: VerifyBytes | null
  readonly limits: BodyLimits
  /** Whether the body is required even though the first body type has no schema. */
  readonly isRequired: boolean
  /** The request parts other than the body. */
  readonly inputs: readonly CompiledInput[]
  /** The validators for the body types, in order; `null` for a body type without a schema. */
  readonly validators: readonly (CompiledInput | null)[]
}

/** Resolves with an error to refuse the request, or with `null` to accept it. */
export type VerifyBytes = (
  req: BlazonRequest,
  res: Response,
  bytes: Buffer,
) => Promise<HttpError | null>

type Message = Parameters<Step>

const MISSING: readonly FieldError[] = [{ in: 'body', path: '', message: 'is required' }]
const NO_BYTES: Buffer = Buffer.alloc(0)

/** A settled promise. After it is awaited, Node has parsed the bytes that arrived together with the request head. */
const HEAD_PARSED = Promise.resolve()

/** Creates the steps that read and validate a body of the declared type. */
export function bodyStages(config: BodiesConfig): BodyStages {
  return {
    body(next) {
      const step = new BodyStep(config, next)
      return (req, res) => step.read(req, res)
    },
    validate: (next) => validateStep(config, next),
  }
}

class BodyStep {
  readonly #config: BodiesConfig
  readonly #next: Step
  readonly #find: FindBody
  readonly #readers: readonly [BodyReader, ...BodyReader[]]

  constructor(config: BodiesConfig, next: Step) {
    const { bodies, limits } = config
    this.#config = config
    this.#next = next
    this.#find = bodyFinder(bodies)
    // In the model, the list of bodies is never empty.
    this.#readers = bodies.map((body) => bodyReader(body, limits)) as [BodyReader]
  }

  read(req: BlazonRequest, res: Response): unknown {
    if (req.body !== undefined) return this.#taken(req, res)
    if (!hasBody(req)) return this.#withoutBytes(req, res)
    const reader = this.#readers[this.#find(req)]
    if (reader === undefined) return this.#unsupported()
    // If bytes have already arrived, no wait is needed. If a middleware has started the body stream by listening for
    // `data`, the data must be read now, or it is lost.
    return req.readableLength > 0 || req.readableFlowing === true
      ? this.#readArriving(reader, req, res)
      : HEAD_PARSED.then(() => this.#readArriving(reader, req, res))
  }

  #readArriving(reader: BodyReader, req: BlazonRequest, res: Response): unknown {
    if (req.readableEnded) return this.#taken(req, res)
    const bytes = readBytes(req, reader.size)
    if (!(bytes instanceof Promise)) return this.#accept(reader, bytes, [req, res])
    return bytes.then((later) => this.#accept(reader, later, [req, res]))
  }

  #accept(reader: BodyReader, bytes: Buffer, [req, res]: Message): unknown {
    return this.#verified(bytes, [req, res], () => {
      req.body = reader.parse(bytes)
      return this.#next(req, res)
    })
  }

  #verified(bytes: Buffer, [req, res]: Message, pass: () => unknown): unknown {
    const { verify } = this.#config
    if (verify === null) return pass()
    return verify(req, res, bytes).then((error) => (error === null ? pass() : new Refusal(error)))
  }

  #withoutBytes(req: BlazonRequest, res: Response): unknown {
    return this.#verified(NO_BYTES, [req, res], () => this.#empty(req, res))
  }

  /**
   * Handles an empty body. An empty form is valid and has no fields, and empty text is valid text. Only a JSON body
   * with a schema must not be empty.
   */
  #empty(req: BlazonRequest, res: Response): unknown {
    const { bodies, verify, isRequired, validationStatus: status } = this.#config
    const { 'content-length': length, 'content-type': type } = req.headers
    const declared = length === undefined || type === undefined ? -1 : this.#find(req)
    // The sender of a webhook also signs an empty body, which is then read as the first body type.
    const index = declared === -1 && verify !== null ? 0 : declared
    const reader = this.#readers[index]
    if (reader !== undefined) {
      const { type: kind, isDescribed } = bodies[index] as BodyModel
      if (kind === 'json' && isDescribed) return new Refusal(emptyJson())
      req.body = reader.parse(NO_BYTES)
      return this.#next(req, res)
    }
    if (!isRequired) return this.#next(req, res)
    const options = { status, errors: MISSING }
    return new Refusal(refuse('VALIDATION_FAILED', 'Validation failed', options))
  }

  /** Handles a body that a middleware has already read. The bytes that a webhook signature covers are then lost. */
  #taken(req: BlazonRequest, res: Response): unknown {
    if (this.#config.verify === null) return this.#next(req, res)
    throw new TypeError(
      '@Webhook needs the bytes of the body, but a middleware has already read them: exclude this path from the middleware.',
    )
  }

  #unsupported(): Refusal {
    const accepted = this.#config.bodies.flatMap(({ contentTypes }) => contentTypes).join(', ')
    const message = `The body must have one of these types: ${accepted}`
    return new Refusal(refuse('UNSUPPORTED_MEDIA_TYPE', message))
  }
}

/**
 * Creates the step that validates the body. A request without a body, or with a body of any other type, is validated as
 * the first body type.
 */
function validateStep(config: BodiesConfig, next: Step): Step {
  const { bodies, inputs, validators } = config
  const steps = validators.map((body) =>
    validateStage(body === null ? inputs : [...inputs, body], config)(next),
  )
  const [first] = steps as [Step]
  if (bodies.length === 1) return first
  const find = bodyFinder(bodies)
  return function validateBodies(req, res) {
    const step = req.body === undefined ? first : steps[find(req)]
    return (step ?? first)(req, res)
  }
}
