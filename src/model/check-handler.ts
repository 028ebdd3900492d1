import type { Class } from '../contracts/provider.js'
import type { Problem } from '../errors/config-error.js'

const GENERATORS = ['[object GeneratorFunction]', '[object AsyncGeneratorFunction]']

/** Warns of a handler that is a generator function: it returns a generator, which has no form in JSON. */
export function checkHandler(subject: string, controller: Class, key: PropertyKey): Problem[] {
  const method: unknown = controller.prototype?.[key]
  if (!GENERATORS.includes(Object.prototype.toString.call(method))) return []
  return [
    {
      code: 'W_HANDLER_GENERATOR',
      subject,
      cause:
        'It is a generator function: it returns a generator, which has no form in JSON, so every response is a 500.',
      remedy:
        'Return a list; or a stream of the values, `Readable.from(this.values())`, with a generator that is no route.',
    },
  ]
}
