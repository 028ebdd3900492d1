// What packages add: options of routes, and composed decorators.
import {
  ApiTags,
  Auth,
  Body,
  Can,
  Controller,
  compose,
  type DualClassOrMethodDecorator,
  type DualMethodDecorator,
  defineOption,
  Get,
  HttpCode,
  Post,
  type Req,
  type RouteModel,
} from 'blazon'
import { z } from 'zod'
import type { Equal, Expect } from '../expect.js'

const Order = z.object({ total: z.number() })

const Audit = defineOption<{ readonly action: string }>('Audit')
const Topic = defineOption<string, 'both'>('Topic', { merge: 'list' })
const Internal = defineOption('Internal', { on: 'method' })
const Section = defineOption<string, 'class'>('Section', { on: 'class' })
const Named = defineOption<(req: { readonly url: string }) => string>('Named', {
  check: (value) => (value.length > 1 ? 'It has more than one parameter.' : undefined),
})

declare const route: RouteModel
const audit = route.option(Audit)
const topics = route.option(Topic)
const internal = route.option(Internal)
const named = route.option(Named)
export type Found = [
  Expect<Equal<typeof audit, { readonly action: string } | undefined>>,
  Expect<Equal<typeof topics, readonly string[] | undefined>>,
  Expect<Equal<typeof internal, true | undefined>>,
  Expect<Equal<NonNullable<typeof named>, (req: { readonly url: string }) => string>>,
]

// @ts-expect-error The action is missing.
Audit({})
// @ts-expect-error A decorator with a value needs the value.
Audit()
// @ts-expect-error A decorator without a value takes none.
Internal(true)
// @ts-expect-error A list has the values of the decorators, not lists.
Topic(['a'])

const ForAccountants = compose(Auth(), Can('payments:read'))
const Accepted = compose(Auth(), HttpCode(202))
const WithOrder = compose(Auth(), Body(Order))
export type Composed = [
  Expect<Equal<typeof ForAccountants, DualClassOrMethodDecorator>>,
  Expect<Equal<typeof Accepted, DualMethodDecorator>>,
]

@ForAccountants
@Section('money')
@Audit({ action: 'payments' })
@ApiTags('Payments')
@Controller('payments')
export class Payments {
  @Accepted
  @Internal()
  @Topic('money')
  @Named((req) => req.url)
  @Get()
  list() {}

  @WithOrder
  @Post()
  pay(req: Req<{ body: typeof Order }>) {
    return req.body.total
  }

  // @ts-expect-error The option is for classes.
  @Section('money')
  @Get('wrong')
  wrong() {}
}

// @ts-expect-error The decorator is for methods.
@Accepted
@Controller('wrong')
export class Wrong {}
