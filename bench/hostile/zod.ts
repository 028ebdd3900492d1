import { z } from 'zod'
import * as mini from 'zod/mini'
import { type Hostile, hostile, shapeOf, TWENTY } from './body.js'
import { VALUES } from './values.js'

const Wide = z.object(shapeOf(TWENTY, () => z.string().min(1)))
const KINDS = ['a', 'b', 'c', 'd', 'e'] as const
const Kinds = KINDS.map((kind) => z.object({ kind: z.literal(kind), ...Wide.shape }))
const Union = z.union([
  z.object({ a: z.string() }),
  z.object({ b: z.array(z.number()) }),
  z.string(),
  z.null(),
])
const noop = <T extends z.ZodType>(schema: T) => schema.refine(() => true)

const Tree: z.ZodType = z.lazy(() =>
  z.union([
    z.object({ child: Tree, left: z.string() }),
    z.object({ child: Tree, right: z.string() }),
    z.null(),
  ]),
)
const MiniTree: mini.ZodMiniType = mini.lazy(() =>
  mini.union([
    mini.object({ child: MiniTree, left: mini.string() }),
    mini.object({ child: MiniTree, right: mini.string() }),
  ]),
)
const Chain: z.ZodType = z.object({
  get child() {
    return z.union([Chain, z.object({ child: Chain, more: z.number() })])
  },
})

const plain: readonly Hostile[] = [
  {
    name: 'a list of alternatives',
    schema: z.array(Union),
    text: VALUES.numbers,
    status: 400,
    path: '0',
  },
  {
    name: 'a list of five wide alternatives',
    schema: z.array(z.union(Kinds as never)),
    text: VALUES.empties,
    status: 400,
    path: '0',
  },
  {
    name: 'a list of tagged alternatives',
    schema: z.array(z.discriminatedUnion('kind', Kinds as never)),
    text: VALUES.empties,
    status: 400,
    path: '0.kind',
  },
  {
    name: 'a list of wide objects',
    schema: z.array(Wide),
    text: VALUES.empties,
    status: 400,
    path: '0.field0',
  },
  {
    name: 'a list within an object',
    schema: z.object({ items: z.array(Wide) }),
    text: `{"items":${VALUES.empties.slice(0, -30)}{}]}`,
    status: 400,
    path: 'items.0.field0',
  },
  {
    name: 'the last alternative is right',
    schema: z.array(z.union([...Kinds, z.looseObject({})] as never)),
    text: VALUES.empties,
    status: 200,
  },
  {
    name: 'lists of lists',
    schema: z.array(z.array(z.array(z.string()))),
    text: VALUES.listsOfOne,
    status: 400,
    path: '0.0',
  },
  {
    name: 'a list in a list',
    schema: z.array(z.array(Union)),
    text: VALUES.listOfLists,
    status: 400,
    path: '0.0',
  },
  {
    name: 'a tuple with a rest',
    schema: z.tuple([z.number()], Union),
    text: VALUES.numbers,
    status: 400,
    path: '1',
  },
  {
    name: 'a tuple without',
    schema: z.tuple([z.number()]),
    text: VALUES.numbers,
    status: 400,
    path: '',
  },
  {
    name: 'values of a record',
    schema: z.record(z.string(), Union),
    text: VALUES.names,
    status: 400,
    path: '0',
  },
  {
    name: 'keys of a record',
    schema: z.record(z.string().regex(/^key/), z.number()),
    text: VALUES.names,
    status: 400,
    path: '0',
  },
  {
    name: 'keys of a record by number',
    schema: z.record(z.number(), z.number()),
    text: VALUES.names,
    status: 400,
  },
  {
    name: 'a partial record',
    schema: z.partialRecord(z.enum(KINDS), z.number()),
    text: VALUES.names,
    status: 400,
  },
  {
    name: 'unknown keys',
    schema: z.strictObject({ id: z.number() }),
    text: VALUES.names,
    status: 400,
    path: '',
  },
  { name: 'long keys', schema: z.strictObject({}), text: VALUES.longNames, status: 400, path: '' },
  {
    name: 'one long key',
    schema: z.record(z.string(), z.string()),
    text: VALUES.oneLongName,
    status: 400,
  },
  {
    name: 'a catchall',
    schema: z.object({}).catchall(Union),
    text: VALUES.names,
    status: 400,
    path: '0',
  },
  {
    name: 'a catch of each item',
    schema: z.array(Union.catch(null)),
    text: VALUES.numbers,
    status: 200,
  },
  {
    name: 'a set of a list',
    schema: z
      .array(z.unknown())
      .transform((list) => new Set(list))
      .pipe(z.set(z.string())),
    text: VALUES.distinctObjects,
    status: 400,
  },
  {
    name: 'a map of an object',
    schema: z
      .looseObject({})
      .transform((all) => new Map(Object.entries(all)))
      .pipe(z.map(z.string(), Union)),
    text: VALUES.names,
    status: 400,
  },
  {
    name: 'two loose objects in one',
    schema: z.intersection(z.looseObject({}), z.looseObject({})),
    text: VALUES.names,
    status: 200,
  },
  {
    name: 'two records in one',
    schema: z.intersection(z.record(z.string(), z.number()), z.record(z.string(), z.number())),
    text: VALUES.names,
    status: 200,
  },
  {
    name: 'two strict objects in one',
    schema: z.intersection(z.strictObject({ x: z.string() }), z.strictObject({ y: z.string() })),
    text: VALUES.names,
    status: 400,
  },
  { name: 'alternatives that contain each other', schema: Tree, text: VALUES.chain, status: 400 },
  {
    name: 'many that contain each other',
    schema: z.array(Tree),
    text: VALUES.chainOfMany,
    status: 400,
  },
  { name: 'an object that contains itself', schema: Chain, text: VALUES.chain, status: 400 },
  {
    name: 'no number',
    schema: z.array(z.number()),
    text: VALUES.distinctTexts,
    status: 400,
    path: '0',
  },
  {
    name: 'a literal',
    schema: z.array(z.literal(['x', 'y'])),
    text: VALUES.distinctTexts,
    status: 400,
    path: '0',
  },
  {
    name: 'short texts',
    schema: z.array(z.string().min(9).regex(/^x/).endsWith('z')),
    text: VALUES.texts,
    status: 400,
    path: '0',
  },
  {
    name: 'too many',
    schema: z.array(Union).max(100),
    text: VALUES.numbers,
    status: 400,
    path: '',
  },
]

/** With a callback, zod's compiled function is not used. */
const withCallback: readonly Hostile[] = plain
  .filter(({ name }) =>
    /^(a list|lists|a tuple|values|keys|unknown|a catchall|no number|two)/.test(name),
  )
  .map((each) => ({
    ...each,
    schema: noop(each.schema as z.ZodType),
    name: `${each.name}, refined`,
  }))

const asynchronous: readonly Hostile[] = plain
  .filter(({ name }) => /^(a list|values|keys of a record$)/.test(name))
  .map((each) => ({
    ...each,
    schema: (each.schema as z.ZodType).refine(async () => true),
    name: `${each.name}, refined later`,
  }))

const others: readonly Hostile[] = [
  {
    name: 'items refined later',
    schema: z.array(z.number().refine(async (n) => n > 1, 'too small')),
    text: VALUES.numbers,
    status: 400,
    path: '0',
  },
  {
    name: 'transformed items',
    schema: z.array(z.string().transform(Number).pipe(z.number())),
    text: VALUES.distinctTexts,
    status: 400,
  },
  {
    name: 'mini: alternatives that contain each other',
    schema: MiniTree,
    text: VALUES.chain,
    status: 400,
  },
  {
    name: 'mini: a list of alternatives',
    schema: mini.array(mini.union([mini.string(), mini.object({})])),
    text: VALUES.numbers,
    status: 400,
    path: '0',
  },
  {
    name: 'a query of many names',
    source: 'query',
    schema: z.strictObject({}),
    text: Array.from({ length: 1000 }, (_, n) => `a${n}=1`).join('&'),
    status: 400,
  },
  {
    name: 'a query of one name',
    source: 'query',
    schema: z.object({ a: z.array(z.coerce.number().min(9)) }),
    text: 'a=1&'.repeat(1000),
    status: 400,
    path: 'a.0',
  },
]

export const ZOD: readonly Hostile[] = hostile('zod', [
  ...plain,
  ...withCallback,
  ...asynchronous,
  ...others,
])
