import type { ReportedRequest } from '../../../src/cli/dev/dashboard/views.js'
import type { ContractViolation } from '../../../src/contracts/contract-violation.js'
import type {
  RecordedDecision,
  RecordedRequest,
  RecordedStatement,
  RequestRecord,
} from '../../../src/contracts/request-record.js'

/** The record of `GET /orders/7`, which everything has admitted. */
export const RECORD: RequestRecord = {
  id: '0b6c0f2e-7a4f-4e0a-9a52-6b3d9d1f4c11',
  startedAt: Date.UTC(2026, 10, 26, 9, 30),
  durationMs: 12.4,
  method: 'GET',
  url: '/orders/7',
  route: { name: 'OrdersController.getById', method: 'GET', path: '/orders/:id' },
  status: 200,
  outcome: 'sent',
  cause: 'handler',
  answeredBy: 'handler',
  tenant: 'acme',
  user: 'ada',
  decisions: [],
  steps: [
    { step: 'guard', at: 0.2, durationMs: 1.1 },
    { step: 'validate', at: 1.4, durationMs: 0.3 },
    { step: 'handler', at: 1.8, durationMs: 10.2 },
  ],
  statements: [],
  statementCount: 0,
  calls: [],
  callCount: 0,
  logs: [],
  error: null,
}

export function decision(given: Partial<RecordedDecision>): RecordedDecision {
  return { at: 0, by: 'guard', verdict: 'admitted', reason: null, facts: {}, ...given }
}

export function statement(given: Partial<RecordedStatement>): RecordedStatement {
  return {
    system: 'postgresql',
    text: 'select * from orders where id = $1',
    valueCount: 1,
    at: 2,
    durationMs: 0.8,
    rowCount: 1,
    tenant: 'acme',
    error: null,
    place: 'src/orders.ts:41:12',
    ...given,
  }
}

export const NOTHING_SENT: RecordedRequest = { headers: [], body: null, omitted: null }

export const MISMATCH: ContractViolation = {
  operation: 'GET /orders/{id}',
  operationId: 'getOrder',
  kind: 'body',
  handler: 'OrdersController.getById',
  status: 200,
  path: 'data.total',
  expected: 'a number',
  got: '"12"',
  remedy: 'Correct the handler, or its description.',
}

/** A report with other values in its record. */
export function reported(
  record: Partial<RequestRecord> = {},
  rest: Partial<Omit<ReportedRequest, 'record'>> = {},
): ReportedRequest {
  return {
    record: { ...RECORD, ...record },
    sent: NOTHING_SENT,
    mismatches: [],
    capsule: null,
    ...rest,
  }
}

/** A loop that asks for each line of an order. */
export const LOOP: readonly RecordedStatement[] = [1, 2, 3, 4, 5].map((i) =>
  statement({
    text: 'select * from lines where order_id = $1',
    at: 2 + i,
    place: 'src/lines.ts:9:3',
  }),
)

/** Requests as an application sends them in a day: admitted, refused, invalid, failed, slow. */
export const DAY: readonly ReportedRequest[] = [
  reported(
    {
      decisions: [
        decision({
          at: 1.2,
          facts: { schemes: [{ scheme: 'bearer', verdict: 'admitted', reason: null }] },
        }),
        decision({
          at: 1.3,
          by: 'tenant',
          verdict: 'confirmed',
          facts: { tenant: 'acme', source: 'header' },
        }),
        decision({
          at: 1.4,
          by: 'limit',
          verdict: 'counted',
          facts: { limit: 100, remaining: 99, windowMs: 60_000 },
        }),
        decision({
          at: 1.7,
          by: 'cache',
          verdict: 'miss',
          facts: { key: 'acme GET /orders/7', tags: ['orders'] },
        }),
        decision({ at: 1.75, by: 'validation', verdict: 'passed', facts: { in: ['params'] } }),
      ],
      statements: [statement({})],
      statementCount: 1,
      logs: [{ at: 9, level: 'info', message: 'Order 7 was read' }],
    },
    {
      sent: {
        headers: [
          ['host', '127.0.0.1:3000'],
          ['authorization', 'Bearer [secret]'],
          ['x-tenant-id', 'acme'],
        ],
        body: null,
        omitted: null,
      },
    },
  ),
  reported(
    {
      method: 'POST',
      url: '/orders',
      status: 422,
      cause: 'validation',
      answeredBy: 'validate',
      route: { name: 'OrdersController.create', method: 'POST', path: '/orders' },
      decisions: [
        decision({
          at: 1.6,
          by: 'validation',
          verdict: 'refused',
          facts: {
            in: ['body'],
            issues: [
              {
                in: 'body',
                path: 'lines.0.amount',
                message: 'Expected a number',
                code: 'invalid_type',
              },
            ],
          },
        }),
      ],
      durationMs: 3.1,
    },
    {
      sent: {
        headers: [
          ['authorization', 'Bearer [secret]'],
          ['content-type', 'application/json'],
        ],
        body: '{"customer":3,"lines":[{"sku":"A-1","amount":"two"}]}',
        omitted: null,
      },
    },
  ),
  reported(
    {
      method: 'GET',
      url: '/orders?token=[secret]&status=open',
      route: { name: 'OrdersController.list', method: 'GET', path: '/orders' },
      statements: LOOP,
      statementCount: LOOP.length,
      durationMs: 48,
    },
    { mismatches: [MISMATCH] },
  ),
  reported({
    url: '/orders/8',
    status: 401,
    cause: 'guard',
    answeredBy: 'guard',
    tenant: null,
    user: null,
    durationMs: 0.9,
    decisions: [
      decision({
        at: 0.4,
        verdict: 'refused',
        reason: 'expired token',
        facts: { schemes: [{ scheme: 'bearer', verdict: 'refused', reason: 'expired token' }] },
      }),
    ],
  }),
  reported(
    {
      method: 'DELETE',
      url: '/orders/9',
      status: 500,
      route: { name: 'OrdersController.remove', method: 'DELETE', path: '/orders/:id' },
      error: {
        name: 'TypeError',
        status: 500,
        code: 'INTERNAL_SERVER_ERROR',
        message: 'Cannot read properties of undefined',
        stack:
          'TypeError: Cannot read properties of undefined\n    at OrdersController.remove (src/orders.ts:88:17)',
      },
    },
    { capsule: { id: '20261126-093000-a1b2c3', folder: '.blazon/capsules' } },
  ),
]
