import type { Exchange } from './exchange.js'

const thing = {
  name: 'Thing',
  count: 3,
  email: 'a@example.com',
  tags: ['a'],
  color: null,
  point: [1, 2.5],
  extra: { a: 1 },
  choice: { kind: 'b', b: 4 },
}

const WRONG: Readonly<Record<string, object>> = {
  'a short name': { ...thing, name: '' },
  'half a count': { ...thing, count: 0.5 },
  'no address': { ...thing, email: 'nobody' },
  'another color': { ...thing, color: 'blue' },
  'three coordinates': { ...thing, point: [1, 2, 3] },
  'a text for a number': { ...thing, extra: { a: 'a' } },
  'neither choice': { ...thing, choice: { kind: 'c' } },
  'no choice': { ...thing, choice: undefined },
}

/** The same requests to the routes of each library. */
export const LIBRARIES_EXCHANGES: readonly Exchange[] = [
  'valibot',
  'arktype',
  'typebox',
  'json',
].flatMap((library) => exchangesOf(library))

function exchangesOf(library: string): Exchange[] {
  const path = `/${library}`
  const post = { method: 'POST', path, status: 400, isRefused: true }
  // Valibot removes values after the end of a tuple, and does not refuse them.
  const refused = Object.entries(WRONG).filter(
    ([name]) => !(library === 'valibot' && name === 'three coordinates'),
  )
  return [
    { name: `${library}: create`, method: 'POST', path, json: thing, status: 201 },
    {
      name: `${library}: create with less`,
      method: 'POST',
      path,
      json: { ...thing, email: undefined, tags: undefined, color: 'red' },
      status: 201,
    },
    ...refused.map(([name, json]) => ({ name: `${library}: ${name}`, ...post, json })),
    { name: `${library}: list`, method: 'GET', path, status: 200 },
    { name: `${library}: one tag`, method: 'GET', path: `${path}?tag=a&limit=5`, status: 200 },
    { name: `${library}: two tags`, method: 'GET', path: `${path}?tag=a&tag=b`, status: 200 },
    {
      name: `${library}: no number`,
      method: 'GET',
      path: `${path}?limit=many`,
      status: 400,
      isRefused: true,
    },
  ]
}
