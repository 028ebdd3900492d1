import type { IncomingMessage } from 'node:http'
import { refuse } from '../../errors/refuse.js'
import { hasBody } from '../../http/read-body.js'
import { Refusal } from '../../step/refusal.js'
import type { StepFactory } from '../../step/step.js'
import type { DicerClass } from './feed-parser.js'
import { FormReader, type FormRules } from './form-reader.js'
import { invalidPart, malformed, tooLarge } from './text-fields.js'

/** The code that an application loads if a route has `@Upload`. */
export { loadBusboy } from './feed-parser.js'

const FORM = /^multipart\/form-data[ \t]*(?:;|$)/i
/**
 * A boundary (RFC 2046, section 5.1.1). It must be quoted if it contains a space. For other special characters, some
 * clients omit the quotes.
 */
const BOUNDARY = `boundary=(?:([\\w'()+_,./:=?-]{1,70})|"([\\w'()+_,./:=? -]{0,69}[\\w'()+_,./:=?-])")`
const TOKEN = "[\\w!#$%&'*+.^`|~-]+"
/**
 * Parameters without a meaning, such as `charset` (RFC 7578). They must not contain text that another parser could read
 * as a boundary.
 */
const OTHERS = `(?:;[ \\t]*(?!boundary[=*])${TOKEN}=(?:${TOKEN}|"[^"\\\\]*")[ \\t]*)*`
const PARAMETERS = new RegExp(`^[^;]*${OTHERS};[ \\t]*${BOUNDARY}[ \\t]*${OTHERS}$`, 'i')

/** Creates the stage that reads a request's form into `req.body`. */
export function uploadStage(Dicer: DicerClass, rules: FormRules): StepFactory {
  return (next) =>
    function readForm(req, res) {
      const refusal = refusalOf(req, rules)
      if (refusal !== null) return new Refusal(refusal)
      const boundary = boundaryOf(req)
      if (boundary === null) return new Refusal(malformed('has no valid boundary'))
      const form = new FormReader(req, { Dicer, boundary, rules })
      if (res.closed) form.end(true)
      else res.once('close', () => form.end(!res.writableFinished))
      return form.ready.then((values) => {
        req.body = values
        return next(req, res)
      })
    }
}

/**
 * Returns the error for a request whose headers are not acceptable; `null` if they are. Throws if a middleware has
 * already read the body.
 */
function refusalOf(req: IncomingMessage, { formBytes, validationStatus }: FormRules): Error | null {
  const {
    'content-type': type = '',
    'content-encoding': coding,
    'content-length': length,
  } = req.headers
  if (!hasBody(req)) return invalidPart(validationStatus, '', 'is required')
  if (!FORM.test(type)) {
    return refuse('UNSUPPORTED_MEDIA_TYPE', 'The body must be multipart/form-data')
  }
  if (coding !== undefined && coding.toLowerCase() !== 'identity') {
    return refuse('UNSUPPORTED_MEDIA_TYPE', 'A form with files must not be compressed')
  }
  if (Number(length ?? 0) > formBytes) return tooLarge('The form is', formBytes)
  if (!req.readableEnded) return null
  throw new TypeError(
    '@Upload reads the form itself, but a middleware has already read it: exclude this path from the middleware.',
  )
}

function boundaryOf({ headers }: IncomingMessage): string | null {
  const [, plain, quoted] = PARAMETERS.exec(headers['content-type'] ?? '') ?? []
  return plain ?? quoted ?? null
}
