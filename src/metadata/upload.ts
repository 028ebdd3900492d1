import type { InputDecorator } from '../contracts/decorator.js'
import type { Fact } from '../contracts/facts.js'
import type { Request } from '../contracts/handler.js'
import type { UploadOutput, UploadParts } from '../contracts/inputs.js'
import { decorator, refuseBare } from './write.js'

/**
 * Reads a form with files, `multipart/form-data` (RFC 7578), with the package `@fastify/busboy`. `req.body` contains
 * the fields, validated and coerced like a query, and the files. The form is read after the guard. The response is 400
 * for an invalid form, 415 for a body of another type or a file of an invalid type, and 413 for a form that is too
 * large.
 *
 * The parts can be in any order: a file that arrives before a field is buffered, up to 64 kB in memory and the rest on
 * disk. If the last part is a file, the handler starts while the file is still arriving.
 *
 * On a handler parameter (legacy dialect), the decorator also passes the value to the parameter.
 *
 * @param parts The parts by name: `file()` for a file, a schema for a text field. Other fields are removed. Any other
 * file is refused with a 400 response.
 * @throws ConfigError at boot if `@fastify/busboy` is not installed or is too old.
 * @example
 * const Profile = { name: z.string().min(1), avatar: file({ maxSize: '5mb', types: ['image/png'] }) }
 *
 * @Post('profile')
 * @Upload(Profile)
 * async create({ body }: Req<{ upload: typeof Profile }>) {
 *   const { path, size } = await body.avatar.save('avatars')
 *   return profiles.add(body.name, path, size)
 * }
 */
export function Upload<const P extends UploadParts>(
  parts: P,
  // biome-ignore lint/suspicious/noExplicitAny: the request parts that the form does not describe
): InputDecorator<Request<any, UploadOutput<P>>, UploadOutput<P>>
export function Upload(...args: unknown[]): unknown {
  refuseBare('@Upload', args[0], args[1])
  const described: Fact = { kind: 'upload', parts: args[0] as UploadParts }
  return decorator('@Upload()', {
    method: described,
    field: false,
    parameter: (index) => [described, { kind: 'parameter', index, source: 'body' }],
  })
}
