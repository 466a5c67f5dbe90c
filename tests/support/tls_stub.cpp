// SPDX-License-Identifier: Apache-2.0
#include "tests/support/tls_stub.hpp"

#include <openssl/evp.h>
#include <openssl/pem.h>
#include <openssl/x509v3.h>

#include <boost/asio/buffer.hpp>
#include <boost/asio/ssl/stream.hpp>
#include <boost/asio/write.hpp>
#include <memory>

#include "pipeline/base/assert.hpp"

namespace ba {
namespace {

using boost::asio::ip::tcp;
using boost::system::error_code;
using Key = std::unique_ptr<EVP_PKEY, decltype(&EVP_PKEY_free)>;
using Certificate = std::unique_ptr<X509, decltype(&X509_free)>;

void add_extension(X509* certificate, int kind, const std::string& value) {
  X509V3_CTX context;
  X509V3_set_ctx_nodb(&context);
  X509V3_set_ctx(&context, certificate, certificate, nullptr, nullptr, 0);
  X509_EXTENSION* const extension = X509V3_EXT_conf_nid(nullptr, &context, kind, value.c_str());
  BA_ASSERT(extension != nullptr);
  X509_add_ext(certificate, extension, -1);
  X509_EXTENSION_free(extension);
}

/// Self-signed, so that it is its own authority.
Certificate make_certificate(EVP_PKEY* key, const TlsCertificate& wanted) {
  constexpr long kHour = 3600;
  Certificate certificate(X509_new(), &X509_free);
  X509_set_version(certificate.get(), 2);
  ASN1_INTEGER_set(X509_get_serialNumber(certificate.get()), 1);
  X509_gmtime_adj(X509_getm_notBefore(certificate.get()), -kHour);
  X509_gmtime_adj(X509_getm_notAfter(certificate.get()), wanted.valid_seconds);
  X509_set_pubkey(certificate.get(), key);
  X509_NAME* const name = X509_get_subject_name(certificate.get());
  X509_NAME_add_entry_by_txt(name, "CN", MBSTRING_ASC,
                             reinterpret_cast<const unsigned char*>(wanted.host.c_str()), -1, -1,
                             0);
  X509_set_issuer_name(certificate.get(), name);
  add_extension(certificate.get(), NID_basic_constraints, "critical,CA:TRUE");
  add_extension(certificate.get(), NID_subject_alt_name, "DNS:" + wanted.host);
  BA_ASSERT(X509_sign(certificate.get(), key, EVP_sha256()) > 0);
  return certificate;
}

template <typename Write>
std::string pem(Write write) {
  const std::unique_ptr<BIO, decltype(&BIO_free)> memory(BIO_new(BIO_s_mem()), &BIO_free);
  BA_ASSERT(write(memory.get()) == 1);
  char* data = nullptr;
  const long size = BIO_get_mem_data(memory.get(), &data);
  return std::string(data, static_cast<std::size_t>(size));
}

}  // namespace

struct TlsStub::Session : std::enable_shared_from_this<TlsStub::Session> {
  Session(tcp::socket socket, TlsStub& owner)
      : stream(std::move(socket), owner.tls_), stub(owner) {}

  void start() {
    stream.async_handshake(boost::asio::ssl::stream_base::server,
                           [self = shared_from_this()](const error_code& error) {
                             if (!error) self->read();
                           });
  }

  void read() {
    stream.async_read_some(boost::asio::buffer(buffer),
                           [self = shared_from_this()](const error_code& error, std::size_t size) {
                             if (error) return;
                             self->stub.bytes_ += static_cast<std::int64_t>(size);
                             if (self->stub.silent_) return self->read();
                             self->received.append(self->buffer.data(), size);
                             self->take();
                           });
  }

  /// The tests' bodies are "{}".
  void take() {
    if (received.find("\r\n\r\n{}") == std::string::npos) return read();
    received.clear();
    ++stub.requests_;
    boost::asio::async_write(stream, boost::asio::buffer(reply),
                             [self = shared_from_this()](const error_code& error, std::size_t) {
                               if (!error) self->read();
                             });
  }

  boost::asio::ssl::stream<tcp::socket> stream;
  TlsStub& stub;
  std::string received;
  std::string reply = "HTTP/1.1 200 OK\r\nContent-Length: 0\r\n\r\n";
  std::array<char, 4096> buffer;
};

TlsStub::TlsStub(boost::asio::io_context& io, const TlsCertificate& certificate)
    : acceptor_(io, tcp::endpoint(boost::asio::ip::address_v4::loopback(), 0)),
      tls_(boost::asio::ssl::context::tls_server),
      silent_(certificate.silent) {
  const Key key(EVP_PKEY_Q_keygen(nullptr, nullptr, "EC", "P-256"), &EVP_PKEY_free);
  const Certificate made = make_certificate(key.get(), certificate);
  certificate_pem_ = pem([&](BIO* out) { return PEM_write_bio_X509(out, made.get()); });
  const std::string key_pem = pem([&](BIO* out) {
    return PEM_write_bio_PrivateKey(out, key.get(), nullptr, nullptr, 0, nullptr, nullptr);
  });
  tls_.use_certificate_chain(boost::asio::buffer(certificate_pem_));
  tls_.use_private_key(boost::asio::buffer(key_pem), boost::asio::ssl::context::pem);
  accept();
}

std::string TlsStub::url() const {
  return "https://localhost:" + std::to_string(acceptor_.local_endpoint().port());
}

void TlsStub::accept() {
  acceptor_.async_accept([this](const error_code& error, tcp::socket socket) {
    if (error) return;
    std::make_shared<Session>(std::move(socket), *this)->start();
    accept();
  });
}

}  // namespace ba
