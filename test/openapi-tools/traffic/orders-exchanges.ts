import { demoToken } from '../../../examples/orders/demo-token.js'
import type { Exchange } from './exchange.js'

const customer = { name: 'Ada', email: 'ada@example.com' }
const order = {
  customerId: 1,
  shipTo: { street: 'Lange Gasse 1', city: 'Wien', country: 'at' },
  lines: [
    { sku: 'TEA', quantity: 2, unitPrice: 450 },
    { sku: 'CUP', unitPrice: 1200 },
  ],
}

const clerk = { token: demoToken('clerk') }
const auditor = demoToken('auditor')
const pdf = new Blob(['%PDF-1.7'], { type: 'application/pdf' })
const get = { method: 'GET', ...clerk }
const post = { method: 'POST', ...clerk }

/** Requests to the orders example. Each one depends on those before it. */
export const ORDERS_EXCHANGES: readonly Exchange[] = [
  { name: 'no token', method: 'GET', path: '/orders', status: 401 },
  { name: 'a wrong token', ...get, path: '/orders', status: 401, token: 'nobody' },
  {
    name: 'an invalid shop',
    ...get,
    path: '/orders',
    headers: { 'x-tenant-id': 'aurora, borealis' },
    status: 400,
    isRefused: true,
  },
  {
    name: 'its own shop',
    ...get,
    path: '/orders',
    headers: { 'x-tenant-id': 'aurora' },
    status: 200,
  },
  {
    name: 'the shop of another clerk',
    ...get,
    path: '/orders',
    headers: { 'x-tenant-id': 'borealis' },
    status: 403,
  },
  { name: 'register', ...post, path: '/customers', json: customer, status: 201 },
  { name: 'register twice', ...post, path: '/customers', json: customer, status: 409 },
  {
    name: 'register without an address',
    ...post,
    path: '/customers',
    json: { name: '' },
    status: 400,
    isRefused: true,
  },
  {
    name: 'register without the right',
    ...post,
    path: '/customers',
    token: auditor,
    json: customer,
    status: 403,
  },
  { name: 'invalid JSON', ...post, path: '/customers', text: json('{"name":'), status: 400 },
  {
    name: 'another type',
    ...post,
    path: '/customers',
    text: { type: 'text/plain', body: 'Ada' },
    status: 415,
  },
  {
    name: 'too large a body',
    ...post,
    path: '/customers',
    json: { ...customer, name: 'x'.repeat(150_000) },
    status: 413,
    isRefused: true,
  },
  { name: 'customers', ...get, path: '/customers?page=1&pageSize=5', status: 200 },
  { name: 'page 0', ...get, path: '/customers?page=0', status: 400, isRefused: true },
  { name: 'customer', ...get, path: '/customers/1', status: 200 },
  { name: 'an unknown customer', ...get, path: '/customers/99', status: 404 },
  {
    name: 'an unknown customer, as a problem',
    ...get,
    path: '/customers/99',
    headers: { accept: 'application/problem+json' },
    status: 404,
  },
  {
    name: 'page 0, as a problem',
    ...get,
    path: '/customers?page=0',
    headers: { accept: 'application/problem+json' },
    status: 400,
    isRefused: true,
  },
  {
    name: 'a number too large',
    ...get,
    path: '/customers/2147483648',
    status: 400,
    isRefused: true,
  },
  {
    name: 'an id that is not a number',
    ...get,
    path: '/customers/abc',
    status: 400,
    isRefused: true,
  },
  { name: 'place', ...post, path: '/orders', json: order, status: 201 },
  {
    name: 'place for an unknown customer',
    ...post,
    path: '/orders',
    json: { ...order, customerId: 99 },
    status: 404,
  },
  {
    name: 'place without lines',
    ...post,
    path: '/orders',
    json: { ...order, lines: [] },
    status: 400,
    isRefused: true,
  },
  { name: 'orders', ...get, path: '/orders?status=open&customerId=1', status: 200 },
  { name: 'an unknown status', ...get, path: '/orders?status=lost', status: 400, isRefused: true },
  { name: 'all orders, as lines', ...get, path: '/orders/all', status: 200 },
  { name: 'export', ...get, path: '/orders/export?status=open', status: 200 },
  {
    name: 'export, as CSV',
    ...get,
    path: '/orders/export',
    headers: { accept: 'text/csv' },
    status: 200,
  },
  {
    name: 'export, as a picture',
    ...get,
    path: '/orders/export',
    headers: { accept: 'image/png' },
    status: 406,
  },
  { name: 'feed', ...get, path: '/orders/feed', status: 200, isEndless: true },
  { name: 'order', ...get, path: '/orders/1', status: 200 },
  { name: 'order, from the cache', ...get, path: '/orders/1', status: 200 },
  { name: 'an unknown order', ...get, path: '/orders/99', status: 404 },
  { name: 'no receipt', ...get, path: '/orders/1/receipt', status: 404 },
  {
    name: 'add a receipt',
    ...post,
    path: '/orders/1/receipt',
    form: { note: 'Two teas', receipt: pdf },
    status: 201,
  },
  {
    name: 'add a receipt without the right',
    ...post,
    path: '/orders/1/receipt',
    token: auditor,
    form: { note: 'Two teas', receipt: pdf },
    status: 403,
  },
  {
    name: 'add a receipt that is a text',
    ...post,
    path: '/orders/1/receipt',
    form: { note: 'Two teas', receipt: new Blob(['text'], { type: 'text/plain' }) },
    status: 415,
  },
  { name: 'receipt', ...get, path: '/orders/1/receipt', status: 200 },
  {
    name: 'a part of the receipt',
    ...get,
    path: '/orders/1/receipt',
    headers: { range: 'bytes=0-3' },
    status: 206,
  },
  { name: 'pay', ...post, path: '/orders/1/payment', status: 200 },
  { name: 'pay twice', ...post, path: '/orders/1/payment', status: 409 },
  { name: 'cancel a paid order', method: 'DELETE', ...clerk, path: '/orders/1', status: 409 },
  { name: 'cancel an unknown order', method: 'DELETE', ...clerk, path: '/orders/99', status: 404 },
]

function json(body: string): { type: string; body: string } {
  return { type: 'application/json', body }
}
