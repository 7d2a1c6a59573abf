// `node serve.mjs FOLDER [PORT]` serves a folder on this machine only; `serve` is the same for other scripts.
import { existsSync } from 'node:fs';
import { createServer } from 'node:http';
import { resolve } from 'node:path';
import { pathToFileURL } from 'node:url';

import sirv from 'sirv';

/** Serves `folder` on 127.0.0.1, on a free port unless one is given: `{ url, close }`. */
export async function serve(folder, port = 0) {
    const files = sirv(folder, { dev: true, etag: true });
    const server = createServer((request, response) =>
        files(request, response, () => {
            // Browsers request this file automatically.
            response.statusCode = request.url === '/favicon.ico' ? 204 : 404;
            response.end();
        }),
    );
    await new Promise((listening, refuse) => {
        server.once('error', refuse);
        server.listen(port, '127.0.0.1', listening);
    });
    const close = () => {
        server.closeAllConnections();
        return new Promise((closed) => server.close(closed));
    };
    return { url: `http://127.0.0.1:${server.address().port}/`, close };
}

if (import.meta.url === pathToFileURL(process.argv[1]).href) {
    const [folder, port = '8080'] = process.argv.slice(2);
    if (!folder || !existsSync(folder)) {
        console.error(`usage: node serve.mjs FOLDER [PORT]${folder ? `: there is no ${resolve(folder)}` : ''}`);
        process.exit(2);
    }
    try {
        console.log(`${resolve(folder)} is at ${(await serve(folder, Number(port))).url}`);
    } catch (error) {
        console.error(`port ${port} cannot be used: ${error.message}`);
        process.exit(1);
    }
}
