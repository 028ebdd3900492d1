// The variables have the type that the schema of each library makes.
import { type } from 'arktype'
import { App, env, inject, secret } from 'blazon'
import { TestApp } from 'blazon/testing'
import Type from 'typebox'
import * as v from 'valibot'
import { z } from 'zod'
import * as mini from 'zod/mini'
import type { Equal, Expect } from '../expect.js'

const Zod = env(
  z.object({
    PORT: z.coerce.number().default(3000),
    LEVEL: z.enum(['debug', 'info']),
    KEY: secret(z.url()).optional(),
  }),
)
const Mini = env(
  mini.object({ PORT: mini._default(mini.coerce.number(), 1), KEY: secret(mini.string()) }),
)
const Valibot = env(
  v.object({
    PORT: v.pipe(secret(v.string()), v.transform(Number)),
    KEY: v.optional(v.string()),
  }),
)
const Arktype = env(type({ PORT: 'string.integer.parse', 'KEY?': secret(type('string')) }))
const Box = env(Type.Object({ PORT: Type.Integer(), KEY: secret(Type.String()) }))
const Json = env({
  type: 'object',
  properties: { PORT: { type: 'integer' } },
  required: ['PORT'],
} as const)

class Reader {
  readonly zod = inject(Zod)
  readonly mini = inject(Mini)
  readonly valibot = inject(Valibot)
  readonly arktype = inject(Arktype)
  readonly box = inject(Box)
  readonly json = inject(Json)
}

export type Checks = [
  Expect<
    Equal<
      Reader['zod'],
      {
        readonly PORT: number
        readonly LEVEL: 'debug' | 'info'
        readonly KEY?: string | undefined
      }
    >
  >,
  Expect<Equal<Reader['mini'], { readonly PORT: number; readonly KEY: string }>>,
  Expect<Equal<Reader['valibot'], { readonly PORT: number; readonly KEY?: string | undefined }>>,
  Expect<Equal<Reader['arktype']['PORT'], number>>,
  Expect<Equal<Reader['arktype']['KEY'], string | undefined>>,
  Expect<Equal<Reader['box'], { readonly PORT: number; readonly KEY: string }>>,
  Expect<Equal<Reader['json'], { readonly PORT: number }>>,
]

export const config: { readonly PORT: number } = Zod.read()
export const given = Zod.read({ PORT: '80', KEY: undefined })
export const app = new App({ providers: [Reader, Zod.provider, Box.provider] })
export const tested = TestApp.create({
  testOverrides: [{ token: Zod, useValue: { PORT: 1, LEVEL: 'info' } }],
})

// @ts-expect-error -- the variables are frozen
Zod.read().PORT = 1
// @ts-expect-error -- a variable that the schema does not have
Zod.read().PROT
// @ts-expect-error -- an option that does not exist
env(z.object({}), { path: '.env' })
// @ts-expect-error -- variables are text
Zod.read({ PORT: 80 })
// @ts-expect-error -- a schema is needed
env()
// @ts-expect-error -- text is not a schema
secret('DATABASE_URL')
