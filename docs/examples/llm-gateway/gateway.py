# python3 gateway.py: a gateway for a language model, with the standard library. Sluice limits the requests, tokens and
# streams of each key.
import json, os, re
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from urllib.error import HTTPError
from urllib.request import Request, urlopen

def call(url, body, token, timeout=None):
    headers = {"Content-Type": "application/json", "Authorization": "Bearer " + token}
    return urlopen(Request(url, data=json.dumps(body).encode(), headers=headers), timeout=timeout)

def sluice(path, body):
    with call(os.environ["SLUICE_URL"] + path, body, os.environ["SLUICE_TOKEN"], 1) as answer:
        return json.load(answer)

class Gateway(BaseHTTPRequestHandler):
    def do_POST(self):
        body = json.loads(self.rfile.read(int(self.headers["Content-Length"])))
        key = self.headers.get("X-API-Key", "none")  # Authenticate it first.
        limits = [{"name": "requests", "subject": key},
                  {"name": "tokens", "subject": key, "cost": body.get("max_tokens", 1000)}]
        if body.get("stream"):
            limits.append({"name": "streams", "subject": key})
            body["stream_options"] = {"include_usage": True}
        try:
            check = sluice("/v1/check", {"limits": limits, "settle": True})
        except OSError:  # Sluice is down: fail closed.
            check = {"allowed": False, "error": "service_unavailable"}
        if not check["allowed"]:
            return self.refuse(check)
        costs = {"tokens": 0}
        try:
            with call(os.environ["MODEL_URL"] + "/v1/chat/completions", body, os.environ.get("MODEL_KEY", "")) as answer:
                costs = {}  # Without a report of the model the estimate stands.
                self.begin(answer.status, answer.headers["Content-Type"])
                tail = b""
                for line in answer:
                    tail = (tail + line)[-10000:]
                    self.wfile.write(line)
                    self.wfile.flush()
                used = re.findall(rb'"total_tokens": ?(\d+)', tail)
                costs = {"tokens": int(used[-1])} if used else {}
        except HTTPError as error:
            self.begin(error.code, error.headers["Content-Type"])
            self.wfile.write(error.read())
        except OSError:  # The client has left, or the model has broken off.
            self.close_connection = True
        finally:
            if "id" in check:
                sluice("/v1/settle", {"id": check["id"], "costs": costs})

    def begin(self, status, content_type):
        self.send_response(status)
        self.send_header("Content-Type", content_type)
        self.end_headers()

    def refuse(self, check):
        self.send_response(503 if check["error"] == "service_unavailable" else 429)
        if "retry_after" in check:
            self.send_header("Retry-After", str(check["retry_after"]))
        self.send_header("Content-Type", "application/json")
        self.end_headers()
        refusal = {name: check.get(name) for name in ("error", "error_description", "limit_name")}
        self.wfile.write(json.dumps(refusal).encode())

if __name__ == "__main__":
    server = ThreadingHTTPServer(("127.0.0.1", int(os.environ.get("PORT", "8080"))), Gateway)
    print("listens on", server.server_address[1], flush=True)
    server.serve_forever()
