// The home page, made of parts of the README, so that code and numbers are written in one place only.

/** The Markdown of the home page. */
export function homePage(readme) {
  return `---
layout: doc
sidebar: false
aside: false
prev: false
next: false
title: Blazon
titleTemplate: HTTP APIs from decorated controllers
pageClass: home
---

# Blazon

${paragraph(readme)}

[Begin the tutorial](docs/tutorial/1-routes.md){.action} [Read the tour](docs/tour.md){.action .plain} [Move from another framework](docs/from-express.md){.action .plain}

## An application

This is all of it. \`GET /users/0\` responds with the user, \`GET /users/x\` with 400 and the reason, \`POST /users\` with 405.
The OpenAPI document has the route, its parameter and the 400.

\`\`\`ts
${CODE}
\`\`\`

## What is in it

- **Routes**: [validation](docs/validation.md) by any schema library, [files](docs/files.md), [uploads](docs/uploads.md),
  [streams](docs/streaming.md), an [OpenAPI document](docs/openapi.md) and a typed [client](docs/cli.md#the-client).
- **Access**: [guards](docs/auth.md), [JWT](docs/jwt.md), [API keys](docs/api-keys.md), [sessions](docs/sessions.md),
  [policies](docs/policies.md), [tenants](docs/tenancy.md), [rate limits](docs/rate-limits.md).
- **Data**: [PostgreSQL](docs/postgres.md) with row-level security, [migrations](docs/migrations.md), [TypeORM](docs/typeorm.md),
  [caches](docs/caching.md), [Redis](docs/redis.md).
- **Tests**: [responses compared with the document](docs/testing.md), fuzzing, and a
  [proof that tenants stay apart](docs/testing.md#isolation).

## Install

${between(readme, '## Install', '## In a clone')}

## Beside others

Each framework serves the same API of two routes, written as its documentation recommends. All received the same requests.
[Programs](bench/README.md) of the repository write this table and check it.

${between(readme, '<!-- comparison: begin -->', '<!-- comparison: end -->')}

${footnote(readme)}

${limits(readme)}
`
}

/** The shortest application that validates; a test runs it. */
export const CODE = `import { App, Controller, Get, type Req } from 'blazon'
import { z } from 'zod'

const UserId = z.object({ id: z.coerce.number().int() })

@Controller('users')
class UsersController {
  @Get(':id', { params: UserId })
  read({ params }: Req<{ params: typeof UserId }>) {
    return { id: params.id, name: 'Ada' }
  }
}

await new App({ controllers: [UsersController] }).listen(3000)`

const paragraph = (readme) => /^# Blazon\n\n(.*?)\n\n/s.exec(readme)[1]

/** What the README says that there is not. */
const limits = (readme) => /^Blazon has no .*?\n\n/ms.exec(readme)[0].trim()

const footnote = (readme) => /^¹ .*?\n\n/ms.exec(readme)[0].trim()

function between(text, begin, end) {
  return text.slice(text.indexOf(begin) + begin.length, text.indexOf(end)).trim()
}
