// Decorators on fields in the standard dialect. The legacy dialect does not show the type of a field to its decorators.
import { Auth, Body, Get, get, HttpCode, Sse } from 'blazon'
import { z } from 'zod'

export class Bad {
  // @ts-expect-error: a route is a function
  @Auth() private readonly text = 'a'

  // @ts-expect-error: a route is a field of an instance
  @Auth() static list = get('/', () => 1)

  // @ts-expect-error: a private field cannot be a route
  @HttpCode(201) readonly #list = get('/', () => 1)

  // @ts-expect-error: the items have another type
  @Sse(z.number()) feed = get('/', async function* () {
    yield 'a'
  })

  // @ts-expect-error: a verb belongs to a method
  @Get() verb = () => [this.text, this.#list]

  // @ts-expect-error: the options of the field have its body
  @Body(z.object({ text: z.string() })) body = get('/', () => 1)
}
