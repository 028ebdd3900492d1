import { type } from 'arktype'
import { type Hostile, hostile, shapeOf, TWENTY } from './body.js'
import { VALUES } from './values.js'

const Wide = type(shapeOf(TWENTY, () => 'string > 0' as const))
const Union = type('string | null').or(Wide).or('string[]')
const { tree: Tree } = type.module({
  tree: 'left | right',
  left: { child: 'tree', left: 'string' },
  right: { child: 'tree', right: 'string' },
})

export const ARKTYPE: readonly Hostile[] = hostile('arktype', [
  {
    name: 'a list of alternatives',
    schema: Union.array(),
    text: VALUES.numbers,
    status: 400,
    path: '0',
  },
  {
    name: 'a list of wide objects',
    schema: Wide.array(),
    text: VALUES.empties,
    status: 400,
    path: '0.field0',
  },
  {
    name: 'lists of lists',
    schema: type('string[][][]'),
    text: VALUES.listsOfOne,
    status: 400,
    path: '0.0',
  },
  {
    name: 'a list in a list',
    schema: Union.array().array(),
    text: VALUES.listOfLists,
    status: 400,
    path: '0.0',
  },
  {
    name: 'values of a record',
    schema: type({ '[string]': 'string' }),
    text: VALUES.names,
    status: 400,
    path: '0',
  },
  {
    name: 'unknown keys',
    schema: type({ '+': 'reject' }),
    text: VALUES.names,
    status: 400,
    path: '0',
  },
  { name: 'long keys', schema: type({ '+': 'reject' }), text: VALUES.longNames, status: 400 },
  {
    name: 'short texts',
    schema: type('(string > 9)[]'),
    text: VALUES.texts,
    status: 400,
    path: '0',
  },
  {
    name: 'parsed numbers',
    schema: type('string.numeric.parse[]'),
    text: VALUES.texts,
    status: 400,
    path: '0',
  },
  { name: 'a long text', schema: type('number'), text: VALUES.text, status: 400, path: '' },
  { name: 'alternatives that contain each other', schema: Tree, text: VALUES.chain, status: 400 },
])
