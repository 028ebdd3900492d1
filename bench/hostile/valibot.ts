import * as v from 'valibot'
import { type Hostile, hostile, shapeOf, TWENTY } from './body.js'
import { VALUES } from './values.js'

const Wide = v.object(shapeOf(TWENTY, () => v.string()))
const Kinds = [...'abcde'].map((kind) => v.object({ ...Wide.entries, kind: v.literal(kind) }))
const Union = v.union([v.string(), v.null(), Wide, v.array(v.string())])

const Tree: v.GenericSchema = v.lazy(() =>
  v.union([
    v.object({ child: Tree, left: v.string() }),
    v.object({ child: Tree, right: v.string() }),
  ]),
)

export const VALIBOT: readonly Hostile[] = hostile('valibot', [
  {
    name: 'a list of alternatives',
    schema: v.array(Union),
    text: VALUES.numbers,
    status: 400,
    path: '0',
  },
  {
    name: 'a list of five wide alternatives',
    schema: v.array(v.union(Kinds)),
    text: VALUES.empties,
    status: 400,
    path: '0',
  },
  {
    name: 'a list of tagged alternatives',
    schema: v.array(v.variant('kind', Kinds as never)),
    text: VALUES.empties,
    status: 400,
  },
  {
    name: 'a list of wide objects',
    schema: v.array(Wide),
    text: VALUES.empties,
    status: 400,
    path: '0.field0',
  },
  {
    name: 'the last alternative is right',
    schema: v.array(v.union([...Kinds, v.looseObject({})])),
    text: VALUES.empties,
    status: 200,
  },
  {
    name: 'lists of lists',
    schema: v.array(v.array(v.array(v.string()))),
    text: VALUES.listsOfOne,
    status: 400,
    path: '0.0',
  },
  {
    name: 'a list in a list',
    schema: v.array(v.array(Union)),
    text: VALUES.listOfLists,
    status: 400,
    path: '0.0',
  },
  {
    name: 'a tuple with a rest',
    schema: v.tupleWithRest([v.number()], Union),
    text: VALUES.numbers,
    status: 400,
    path: '1',
  },
  {
    name: 'values of a record',
    schema: v.record(v.string(), Union),
    text: VALUES.names,
    status: 400,
    path: '0',
  },
  {
    name: 'keys of a record',
    schema: v.record(v.pipe(v.string(), v.regex(/^key/)), v.number()),
    text: VALUES.names,
    status: 400,
    path: '0',
  },
  { name: 'unknown keys', schema: v.strictObject({}), text: VALUES.names, status: 400, path: '0' },
  { name: 'long keys', schema: v.strictObject({}), text: VALUES.longNames, status: 400 },
  { name: 'one long key', schema: v.strictObject({}), text: VALUES.oneLongName, status: 400 },
  { name: 'a long text', schema: v.number(), text: VALUES.text, status: 400, path: '' },
  {
    name: 'a rest',
    schema: v.objectWithRest({}, Union),
    text: VALUES.names,
    status: 400,
    path: '0',
  },
  {
    name: 'two loose objects in one',
    schema: v.intersect([v.looseObject({}), v.looseObject({})]),
    text: VALUES.names,
    status: 200,
  },
  {
    name: 'short texts',
    schema: v.array(v.pipe(v.string(), v.minLength(9), v.startsWith('x'))),
    text: VALUES.texts,
    status: 400,
    path: '0',
  },
  {
    name: 'items checked',
    schema: v.pipe(
      v.array(v.string()),
      v.checkItems((item) => item === 'x'),
    ),
    text: VALUES.texts,
    status: 400,
    path: '0',
  },
  {
    name: 'items checked later',
    schema: v.arrayAsync(
      v.pipeAsync(
        v.number(),
        v.checkAsync(async (n) => n > 1),
      ),
    ),
    text: VALUES.numbers,
    status: 400,
    path: '0',
  },
  {
    name: 'alternatives that contain each other',
    schema: Tree,
    text: VALUES.chain,
    status: 400,
    code: 'VALIDATION_TOO_COMPLEX',
  },
  {
    name: 'many that contain each other',
    schema: v.array(Tree),
    text: VALUES.chainOfMany,
    status: 400,
    code: 'VALIDATION_TOO_COMPLEX',
  },
])
