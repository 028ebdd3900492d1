import type { EnvelopeFormat, ErrorOptions, Failure } from 'blazon'
import { z } from 'zod'

/** The media type of JSON:API. */
export const MEDIA_TYPE = 'application/vnd.api+json'

/** The envelope of JSON:API 1.1 (https://jsonapi.org/format/1.1/): handlers return resource objects. */
export const jsonApi: EnvelopeFormat = {
  mediaType: MEDIA_TYPE,
  success: (data = null, { req }) => ({
    jsonapi: { version: '1.1' },
    links: { self: req.originalUrl },
    data,
  }),
  schema: (data) => ({
    type: 'object',
    properties: {
      jsonapi: { type: 'object', properties: { version: { type: 'string', enum: ['1.1'] } } },
      links: { type: 'object', properties: { self: { type: 'string' } } },
      data,
    },
    required: ['jsonapi', 'links', 'data'],
  }),
}

const ErrorObject = z.object({
  status: z.string(),
  code: z.string(),
  title: z.string(),
  source: z
    .union([z.object({ pointer: z.string() }), z.object({ parameter: z.string() })])
    .optional(),
})

function toErrorObjects({ status, code, message, errors }: Failure) {
  const whole = { status: String(status), code, title: message }
  if (errors === undefined) return { errors: [whole] }
  return {
    errors: errors.map(({ in: place, path, message: title }) => ({
      ...whole,
      title,
      source: place === 'body' ? { pointer: `/${path.replaceAll('.', '/')}` } : { parameter: path },
    })),
  }
}

/** The errors of JSON:API. Rejected input is a 422. */
export const jsonApiErrors: ErrorOptions = {
  format: toErrorObjects,
  schema: z.object({ errors: z.array(ErrorObject) }).meta({ id: 'Errors' }),
  mediaType: MEDIA_TYPE,
  status: { validation: 422 },
}
