import type { Exchange } from './exchange.js'

const provenance = {
  text: null,
  year: null,
  price: 12.5,
  isCertain: null,
  medium: null,
  status: null,
  size: null,
  tags: ['a', null],
  notes: { a: null, b: 'b' },
  either: null,
  nothing: null,
  maybe: null,
}

const full = {
  ...provenance,
  text: 'A gift',
  year: 1890,
  isCertain: true,
  medium: 'oil',
  status: 'lent',
  size: { width: 1, height: 2 },
  either: 3,
}

const painting = {
  title: 'The Harbour at Dusk',
  form: { kind: 'painting', canvas: { width: 300.5, height: 200 }, frame: false },
  medium: 'oil',
  provenance,
  inventory: 'AB-0001',
}

const sculpture = {
  title: 'Two Hands',
  form: { kind: 'sculpture', weight: 10.5, pieces: ['left', 'right'] },
  medium: 'stone',
  provenance: null,
  keywords: ['hands'],
  inventory: 'AB-0002',
  labels: { en: 'Two Hands' },
  isOnShow: false,
  link: 'https://example.com/hands',
}

const curator = { token: 'curator' }
const post = { method: 'POST', path: '/exhibits', ...curator }
const visitor = { 'x-visitor': 'someone' }
const room = { name: 'a', rooms: [{ name: 'b', rooms: [], parent: null }] }
const png = (bytes: number) => new File([new Uint8Array(bytes)], 'a.png', { type: 'image/png' })

/** Requests to every operation of the museum, valid and invalid. */
export const MUSEUM_EXCHANGES: readonly Exchange[] = [
  { name: 'create', ...post, json: painting, status: 201 },
  { name: 'create another', ...post, json: sculpture, status: 201 },
  {
    name: 'create with all',
    ...post,
    json: { ...painting, provenance: full, inventory: 'AB-0003' },
    status: 201,
  },
  { name: 'create twice', ...post, json: painting, status: 409 },
  { name: 'create as a visitor', ...post, token: 'visitor', json: painting, status: 403 },
  {
    name: 'create without a token',
    method: 'POST',
    path: '/exhibits',
    json: painting,
    status: 401,
  },
  ...[
    { ...painting, medium: 'water' },
    { ...painting, form: { kind: 'poem' } },
    { ...painting, form: { ...sculpture.form, pieces: ['left'] } },
    { ...painting, form: { ...painting.form, canvas: { width: 0, height: 1 } } },
    { ...painting, inventory: 'ab' },
    { ...painting, provenance: { ...provenance, nothing: 1 } },
    { ...painting, provenance: { ...provenance, status: 'lost' } },
    { ...painting, labels: { en: 1 } },
    { ...painting, provenance: undefined },
  ].map(
    (json, index): Exchange => ({
      name: `create wrongly, ${index + 1}`,
      ...post,
      json,
      status: 400,
      isRefused: true,
    }),
  ),
  list('all', ''),
  list('by one medium', '?medium=oil'),
  list('by two media', '?medium=oil&medium=stone&year=1890&year=1891'),
  list('by a flag', '?isOnShow=false&sort=-title&page=1'),
  { ...list('by an unknown medium', '?medium=water'), status: 400, isRefused: true },
  { ...list('in an unknown order', '?sort=year'), status: 400, isRefused: true },
  { ...list('without a visitor', ''), headers: {}, status: 400, isRefused: true },
  {
    ...list('with a short trace', ''),
    headers: { ...visitor, 'x-trace-id': 'a' },
    status: 400,
    isRefused: true,
  },
  { name: 'one', method: 'GET', path: '/exhibits/1', ...curator, status: 200 },
  { name: 'an unknown exhibit', method: 'GET', path: '/exhibits/99', ...curator, status: 404 },
  {
    name: 'replace',
    method: 'PUT',
    path: '/exhibits/1?dryRun=true',
    ...curator,
    headers: visitor,
    json: { ...painting, title: 'New' },
    status: 200,
  },
  {
    name: 'change',
    method: 'PATCH',
    path: '/exhibits/1',
    ...curator,
    json: { title: 'Changed' },
    status: 200,
  },
  {
    name: 'change a field that cannot be changed',
    method: 'PATCH',
    path: '/exhibits/1',
    ...curator,
    json: { inventory: 'AB-0009' },
    status: 400,
    isRefused: true,
  },
  { name: 'remove', method: 'DELETE', path: '/exhibits/2', ...curator, status: 204 },
  { name: 'remove twice', method: 'DELETE', path: '/exhibits/2', ...curator, status: 404 },
  { name: 'a floor', method: 'GET', path: '/rooms/east/floors/2', status: 200 },
  { name: 'rooms', method: 'POST', path: '/rooms', json: room, status: 200 },
  {
    name: 'rooms with a room without a name',
    method: 'POST',
    path: '/rooms',
    json: { ...room, rooms: [{ name: '', rooms: [] }] },
    status: 400,
    isRefused: true,
  },
  {
    name: 'a shelf',
    method: 'PUT',
    path: '/rooms/shelf',
    json: { label: 'a', below: { label: 'b', below: { label: 'c' } } },
    status: 200,
  },
  {
    name: 'a shelf without a label',
    method: 'PUT',
    path: '/rooms/shelf',
    json: { label: 'a', below: { below: { label: 'c' } } },
    status: 400,
    isRefused: true,
  },
  { name: 'provenance', method: 'POST', path: '/rooms/provenance', json: full, status: 200 },
  { name: 'a text', method: 'GET', path: '/files/texts/a', status: 200 },
  { name: 'raw', method: 'GET', path: '/files/raw', status: 200 },
  { name: 'head', method: 'HEAD', path: '/files/raw', status: 204 },
  { name: 'options', method: 'OPTIONS', path: '/files/raw', status: 204 },
  { name: 'a redirection', method: 'GET', path: '/files/legacy', status: 308 },
  ...['GET', 'PUT', 'POST', 'DELETE', 'PATCH'].map(
    (method): Exchange => ({ name: `echo ${method}`, method, path: '/files/echo', status: 200 }),
  ),
  {
    name: 'upload',
    method: 'POST',
    path: '/files/images',
    ...curator,
    form: { image: png(10), caption: 'Ten', scans: [png(1), png(2)] },
    status: 202,
  },
  {
    name: 'upload one',
    method: 'POST',
    path: '/files/images',
    ...curator,
    form: { image: png(10), caption: 'Ten' },
    status: 202,
  },
  {
    name: 'upload without a token',
    method: 'POST',
    path: '/files/images',
    form: { image: png(1), caption: 'Nobody' },
    status: 401,
  },
]

function list(name: string, query: string): Exchange {
  return {
    name: `list ${name}`,
    method: 'GET',
    path: `/exhibits${query}`,
    headers: visitor,
    status: 200,
  }
}
