import assert from 'node:assert/strict';
import { TestApp } from 'blazon/testing';
import { afterEach, beforeEach, describe, it } from 'vitest';
import { sampleNameModule } from '../src/sample-name-module.js';

describe('sampleNameModule', () => {
  let app: TestApp;

  beforeEach(async () => {
    app = await TestApp.create({
      modules: [sampleNameModule],
      contract: 'throw',
    });
  });

  afterEach(() => app?.close());

  it('serves the route of its controller', async () => {
    const { body } = await app.request().get('/sample-name/7').expect(200);
    assert.deepEqual(body.data, { id: '7' });
  });
});
