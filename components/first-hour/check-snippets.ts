export const LANGUAGES = ['curl', 'TypeScript', 'Python', 'Go', 'Java', 'PHP'] as const;
type Language = (typeof LANGUAGES)[number];

/** Client address of the examples (RFC 5737). */
const ADDRESS = '203.0.113.7';

/** Returns code that checks one request with the language's own HTTP library. `token` may be a placeholder. */
export function checkSnippet(language: Language, origin: string, token: string): string {
  return SNIPPETS[language](`${origin}/v1/check`, token);
}

const SNIPPETS: Readonly<Record<Language, (url: string, token: string) => string>> = {
  curl: (url, token) => `curl -X POST '${url}' \\
  -H 'Authorization: Bearer ${token}' \\
  -H 'Content-Type: application/json' \\
  -d '{"method":"GET","path":"/orders","ip":"${ADDRESS}"}'`,

  TypeScript: (url, token) => `const response = await fetch('${url}', {
  method: 'POST',
  headers: {
    Authorization: 'Bearer ${token}',
    'Content-Type': 'application/json',
  },
  body: JSON.stringify({ method: 'GET', path: '/orders', ip: '${ADDRESS}' }),
});
const decision = await response.json();
if (!decision.allowed) console.log('Answer 429, Retry-After:', decision.retry_after);
console.log(decision);`,

  Python: (url, token) => `import json
from urllib.request import Request, urlopen

request = Request(
    "${url}",
    method="POST",
    headers={
        "Authorization": "Bearer ${token}",
        "Content-Type": "application/json",
    },
    data=json.dumps({"method": "GET", "path": "/orders", "ip": "${ADDRESS}"}).encode(),
)
with urlopen(request, timeout=1) as response:
    decision = json.load(response)
if not decision["allowed"]:
    print("Answer 429, Retry-After:", decision["retry_after"])
print(decision)`,

  Go: (url, token) => `package main

import (
	"encoding/json"
	"fmt"
	"net/http"
	"strings"
)

func main() {
	body := strings.NewReader(\`{"method":"GET","path":"/orders","ip":"${ADDRESS}"}\`)
	request, _ := http.NewRequest("POST", "${url}", body)
	request.Header.Set("Authorization", "Bearer ${token}")
	request.Header.Set("Content-Type", "application/json")
	response, err := http.DefaultClient.Do(request)
	if err != nil {
		panic(err)
	}
	defer response.Body.Close()
	var decision struct {
		Allowed    bool \`json:"allowed"\`
		RetryAfter int  \`json:"retry_after"\`
	}
	json.NewDecoder(response.Body).Decode(&decision)
	fmt.Println(decision.Allowed, decision.RetryAfter)
}`,

  Java: (url, token) => `import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse.BodyHandlers;

public class Check {
  public static void main(String[] arguments) throws Exception {
    var request = HttpRequest.newBuilder(URI.create("${url}"))
        .header("Authorization", "Bearer ${token}")
        .header("Content-Type", "application/json")
        .POST(HttpRequest.BodyPublishers.ofString(
            "{\\"method\\":\\"GET\\",\\"path\\":\\"/orders\\",\\"ip\\":\\"${ADDRESS}\\"}"))
        .build();
    var response = HttpClient.newHttpClient().send(request, BodyHandlers.ofString());
    System.out.println(response.body());
  }
}`,

  PHP: (url, token) => `<?php
$context = stream_context_create(['http' => [
    'method' => 'POST',
    'header' => "Authorization: Bearer ${token}\\r\\nContent-Type: application/json",
    'content' => json_encode(['method' => 'GET', 'path' => '/orders', 'ip' => '${ADDRESS}']),
    'timeout' => 1,
]]);
$decision = json_decode(file_get_contents('${url}', false, $context), true);
if (!$decision['allowed']) {
    echo 'Answer 429, Retry-After: ', $decision['retry_after'], PHP_EOL;
}
print_r($decision);`,
};
