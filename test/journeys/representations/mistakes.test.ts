import { ApiResponseDoc, Controller, Get, Header, Produces } from 'blazon'
import { expect, it } from 'vitest'
import { bootProblems } from '../../support.js'

function produces(...entries: unknown[]) {
  @Controller('x')
  class Wrong {
    @Produces(...(entries as [])) @Get() get() {}
  }
  return bootProblems({ controllers: [Wrong] })
}

it.each<[string, unknown[], RegExp]>([
  ['no type at all', [], /lists no media type/],
  ['a name that is not a type', ['json'], /'json' is not a valid media type/],
  ['a range of types', ['text/*'], /'text\/\*' is not a valid media type/],
  ['a type without a serializer', ['application/pdf'], /no function that serializes the body/],
  [
    'an object without a function',
    [{ type: 'application/pdf' }],
    /no function that serializes the body/,
  ],
  ['undefined', [undefined], /undefined is not a valid media type/],
  ['a type twice', ['text/csv', 'text/csv'], /lists 'text\/csv' twice/],
])('an invalid @Produces causes a boot error: %s', async (_, entries, cause) => {
  const problems = await produces(...entries)
  expect(problems).toMatchObject([
    {
      code: 'E_OPTION_INVALID',
      subject: 'Wrong.get @Produces',
      cause: expect.stringMatching(cause),
    },
  ])
})

it('@Produces together with another content type causes a boot error', async () => {
  @Controller('x')
  class Both {
    @Produces('text/csv')
    @ApiResponseDoc({ status: 200, contentType: 'text/plain' })
    @Header('content-type', 'text/plain')
    @Get()
    get() {}

    @Produces('text/csv') @Produces('application/json') @Get('twice') twice() {}
  }
  expect(await bootProblems({ controllers: [Both] })).toMatchObject([
    { code: 'E_DECORATOR_CONFLICT', cause: expect.stringContaining('@ApiResponseDoc sets') },
    {
      code: 'E_DECORATOR_CONFLICT',
      cause: expect.stringContaining("@Header('Content-Type') sets"),
    },
    { code: 'E_DECORATOR_CONFLICT', subject: 'Both.twice' },
  ])
})
