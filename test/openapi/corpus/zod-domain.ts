import { z } from 'zod'
import { type CorpusEntry, entriesOf } from './entry.js'
import { EMAIL } from './zod.js'

const Money = z
  .object({ amount: z.int().nonnegative(), currency: z.enum(['EUR', 'USD', 'JPY']) })
  .meta({ id: 'ZodMoney', description: 'An amount in the smallest unit of its currency.' })

const Address = z.object({
  street: z.string().min(1).max(200),
  city: z.string().min(1),
  postcode: z.string().regex(/^[0-9A-Z -]{3,10}$/),
  country: z.string().length(2),
})

const OrderLine = z.object({
  sku: z.string().min(1).describe('Stock keeping unit.'),
  quantity: z.int().min(1).max(999),
  price: Money,
  discount: Money.nullable().optional(),
})

const CreateOrder = z
  .object({
    reference: z.uuid(),
    lines: z.array(OrderLine).min(1),
    shipTo: Address,
    billTo: Address.optional(),
    note: z.string().max(500).nullish(),
    channel: z.enum(['web', 'shop', 'phone']).default('web'),
  })
  .meta({
    title: 'CreateOrder',
    examples: [
      {
        reference: '0b9a3f04-8f5e-4c65-9a71-3c1a5b6d7e8f',
        lines: [{ sku: 'TEA', quantity: 2, price: { amount: 450, currency: 'EUR' } }],
        shipTo: { street: 'Lange Gasse 1', city: 'Wien', postcode: '1080', country: 'AT' },
        channel: 'web',
      },
    ],
  })

const Category = z.object({
  name: z.string(),
  get children() {
    return z.array(Category)
  },
})

const Employee = z.object({
  id: z.int(),
  get department() {
    return Department.nullable()
  },
})
const Department: z.ZodType<{ name: string; staff?: z.infer<typeof Employee>[] | undefined }> =
  z.object({ name: z.string(), staff: z.array(z.lazy(() => Employee)).optional() })

const Comment = z
  .object({
    text: z.string().min(1),
    get replies() {
      return z.array(Comment).optional()
    },
  })
  .meta({ id: 'ZodComment' })

const Expression: z.ZodType = z.discriminatedUnion('op', [
  z.object({ op: z.literal('number'), value: z.number() }),
  z.object({
    op: z.literal('sum'),
    get left() {
      return Expression
    },
    get right() {
      return Expression
    },
  }),
])

const Event = z.discriminatedUnion('event', [
  z.object({ event: z.literal('created'), order: z.object({ id: z.uuid() }) }),
  z.object({ event: z.literal('paid'), amount: Money }),
  z.object({ event: z.literal('cancelled'), reason: z.string().nullable() }),
])

const Filter = z.strictObject({
  status: z.enum(['open', 'closed']).optional(),
  min: z.number().gt(0).optional(),
  tags: z.array(z.string().min(1)).max(10).optional(),
  sort: z.templateLiteral([z.enum(['name', 'date']), ':', z.enum(['asc', 'desc'])]).optional(),
})

export const zodDomainCorpus: readonly CorpusEntry[] = entriesOf('zod', {
  'create order': CreateOrder,
  'update order': CreateOrder.partial().strict(),
  'recursive category': Category,
  'list of recursive categories': z.array(Category),
  'mutual recursion': Employee,
  'recursive and named': Comment,
  'recursive union of objects': Expression,
  events: z.array(Event).max(3),
  filter: Filter,
  'two of a name': z.object({ from: Money, to: Money.nullable(), all: z.array(Money) }),
  'described everywhere': z
    .object({
      old: z.string().meta({ deprecated: true, description: 'Use **new**.' }),
      new: z.string().optional().describe('<script>alert(1)</script> "quotes" ünïcode'),
      money: Money.describe('Another description of a named schema.'),
    })
    .describe('First line.\n\nSecond paragraph.'),
  credentials: [z.object({ email: z.email(), password: z.string().min(12).max(128) }), EMAIL],
  'page of results': z.object({
    items: z.array(z.object({ id: z.uuid(), createdAt: z.iso.datetime() })),
    next: z.string().nullable(),
    total: z.int().nonnegative(),
  }),
  'coordinates and shapes': z.object({
    at: z.tuple([z.number().min(-180).max(180), z.number().min(-180).max(180)]),
    within: z
      .array(z.tuple([z.number(), z.number()]))
      .min(3)
      .optional(),
  }),
  translations: z.record(z.string(), z.object({ title: z.string(), body: z.string().optional() })),
  settings: z.object({
    theme: z.union([z.literal('light'), z.literal('dark'), z.null()]),
    limits: z.record(z.enum(['cpu', 'memory']), z.number().positive()),
    extra: z.json().optional(),
  }),
})
